"""An outline keeps the edges, the complaints and the rare names, as far as its share goes."""

from __future__ import annotations

import pytest

from prunus.notes import is_shortened
from prunus.strategies.outline import outline
from tests.strategies.fillers import fill


def log(count: int) -> list[str]:
    return [f"step {i} ok" for i in range(count)]


def kept(lines: list[str], share: float = 0.15) -> list[str]:
    """The lines of an outline without the note below them."""
    return outline("\n".join(lines), share).splitlines()[:-1]


@pytest.mark.parametrize(("count", "edge"), [(9, 1), (16, 2), (31, 3), (32, 4), (1000, 4)])
def test_an_eighth_of_the_lines_and_at_most_four_stay_at_each_end(count: int, edge: int) -> None:
    lines = log(count)
    assert kept(lines) == [*lines[:edge], *lines[-edge:]]


def test_the_note_counts_the_lines_that_went() -> None:
    last = outline("\n".join(log(1500)), 0.15).splitlines()[-1]
    assert last == "[Prunus: 1,492 of 1,500 lines removed; call the tool again to see them.]"


def test_an_outline_is_recognised_as_shortened() -> None:
    assert is_shortened(outline("\n".join(log(100)), 0.15))


@pytest.mark.parametrize(
    "line",
    [
        "ERROR in step 9",
        "2 tests failed",
        "1 failure",
        "panic: no",
        "a warning",
        "AssertionError at x",
        "fatal: no",
        "x is undefined",
    ],
)
def test_lines_that_complain_stay_in_their_place(line: str) -> None:
    lines = log(100)
    lines[50] = line
    assert kept(lines) == [*lines[:4], line, *lines[-4:]]


@pytest.mark.parametrize("line", ["mirrors", "no terrors", "unfail"])
def test_words_that_only_contain_a_complaint_are_no_complaint(line: str) -> None:
    lines = log(100)
    lines[50] = line
    assert line not in kept(lines)


def test_complaints_stay_only_as_far_as_there_is_room() -> None:
    lines = [f"error {i:05}" for i in range(1000)]
    text = "\n".join(lines)
    shown = kept(lines, 0.2)
    assert len("\n".join(shown)) == pytest.approx(len(text) * 0.2, abs=12)
    assert shown[:100] == lines[:100]
    assert shown[-4:] == lines[-4:]


def test_rare_names_stand_below_in_the_order_they_came() -> None:
    lines = log(100)
    lines[30] = "see zebra_module and"
    lines[60] = "see alpha/module.py"
    assert kept(lines)[8:] == ["zebra_module alpha/module.py"]


def test_names_on_more_than_two_lines_are_not_rare() -> None:
    lines = log(100)
    for i in (20, 40, 60):
        lines[i] = "see everywhere.py"
    lines[41] = "see sometimes.py"
    lines[61] = "see sometimes.py"
    assert kept(lines)[8:] == ["sometimes.py"]


def test_names_that_the_kept_lines_show_are_not_said_again() -> None:
    lines = log(100)
    lines[0] = "build of first_module"
    assert kept(lines) == [*lines[:4], *lines[-4:]]


def test_short_words_are_no_names() -> None:
    lines = log(100)
    lines[50] = "seven77"
    assert len(kept(lines)) == 8


def test_names_stay_only_as_far_as_there_is_room() -> None:
    lines = [f"module_{i:06}" for i in range(1000)]
    text = "\n".join(lines)
    names = kept(lines, 0.1)[-1].split()
    assert names == lines[4 : 4 + len(names)]
    assert len(outline(text, 0.1)) < len(text) * 0.1 + 100


def test_very_long_lines_are_cut() -> None:
    lines = ["x" * 5000, *log(100), "y" * 5000]
    shown = kept(lines)
    assert shown[0] == "x" * 200
    assert shown[-1] == "y" * 200


def test_a_text_of_one_long_line_says_that_something_went() -> None:
    *shown, note = outline("x" * 5000, 0.15).splitlines()
    assert set(shown) == {"x" * 200}
    assert len(shown) < 25
    assert "0 of 1 lines" not in note


@pytest.mark.parametrize("text", ["\n", "one", "one\ntwo", "one\ntwo\nthree"])
def test_every_line_of_a_tiny_text_is_shown_at_most_once(text: str) -> None:
    shown = outline(text, 0.15).splitlines()[:-1]
    assert len(shown) == len(set(shown)) <= len(text.splitlines())


def test_a_larger_share_keeps_no_less() -> None:
    text = fill("<40 lines>\n") + "\n".join(f"error in module_{i:05}.py" for i in range(200))
    sizes = [len(outline(text, share)) for share in (0.0, 0.05, 0.15, 0.3, 0.6)]
    assert sizes == sorted(sizes) and len(set(sizes)) == len(sizes)
