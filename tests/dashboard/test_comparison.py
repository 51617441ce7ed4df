"""A cut text beside what is left of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prunus.dashboard.receipts import mark_lines, side_by_side

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "note"]), max_size=12)


def fates(lines: list) -> str:  # type: ignore[type-arg]
    return "".join(line.fate[0] for line in lines)


def test_a_cut_in_the_middle_is_marked() -> None:
    old, new = mark_lines("1\n2\n3\n4", "1\n[2 lines removed]\n4")
    assert (fates(old), fates(new)) == ("kcck", "knk")


def test_a_note_marks_every_old_line_as_cut() -> None:
    old, new = mark_lines("1\n2", "[gone]")
    assert (fates(old), fates(new)) == ("cc", "n")


@given(LINES, LINES)
def test_every_line_of_both_texts_is_there_in_its_order(before: list[str], after: list[str]) -> None:
    old, new = mark_lines("\n".join(before), "\n".join(after))
    assert [line.text for line in old] == "\n".join(before).splitlines()
    assert [line.text for line in new] == "\n".join(after).splitlines()
    assert [line.text for line in old if line.fate == "kept"] == [line.text for line in new if line.fate == "kept"]


@given(LINES, st.data())
def test_lines_that_are_left_out_are_the_only_ones_marked(before: list[str], data: st.DataObject) -> None:
    stays = data.draw(st.lists(st.booleans(), min_size=len(before), max_size=len(before)))
    after = [line for line, stay in zip(before, stays, strict=True) if stay]
    old, new = mark_lines("\n".join(before), "\n".join(after))
    assert fates(new) == "k" * len(new)
    assert fates(old).count("k") == len(new)


def test_a_very_long_text_is_shown_by_its_ends() -> None:
    made = side_by_side("\n".join(map(str, range(5_000))), "", left="before", right="after")
    assert "3,800 lines are not shown here." in made
    assert len(made) < 100_000
