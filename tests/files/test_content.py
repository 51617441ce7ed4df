"""Replacing one text by another in a file of which only some lines are known."""

from hypothesis import given, settings
from hypothesis import strategies as st

from prunus.calls.shown import Shown
from prunus.files.content import Content
from prunus.files.replacing import replace_text
from prunus.files.tracked import TrackedFile

LINES = st.sampled_from(["a", "b", "ab", "  b", "", "}"])


@settings(max_examples=300, deadline=None)
@given(
    lines=st.lists(LINES, min_size=1, max_size=6),
    ending=st.booleans(),
    told=st.booleans(),
    sized=st.booleans(),
    hidden=st.sets(st.integers(0, 5)),
    place=st.tuples(st.integers(0, 12), st.integers(1, 6)),
    new=st.lists(LINES, min_size=1, max_size=3),
    every=st.booleans(),
)
def test_a_replacement_claims_no_wrong_line(
    lines: list[str],
    ending: bool,
    told: bool,
    sized: bool,
    hidden: set[int],
    place: tuple[int, int],
    new: list[str],
    every: bool,
) -> None:
    if not ending and lines[-1] == "":
        return
    text = "\n".join(lines) + "\n" * ending
    old, put = text[place[0] : place[0] + place[1]], "\n".join(new)
    if not old or (text.count(old) > 1 and not every):
        return
    content = Content()
    shown = [None if at in hidden else line for at, line in enumerate(lines)]
    content.learn(1, shown, len(lines) if sized else None, ending if told and sized else None)
    made = replace_text(content, old, put, every)
    truth = text.replace(old, put)
    expected = truth.split("\n")[:-1] if truth.endswith("\n") else truth.split("\n") if truth else []
    for number, line in enumerate(content.lines, 1):
        if made is not None and line is not None:
            assert number <= len(expected) and expected[number - 1] == line.text
    if made is not None and content.length is not None:
        assert content.length == len(expected)
    if made is not None and content.whole and content.ended is not None and expected:
        assert content.ended == truth.endswith("\n")


def test_an_era_ends_when_all_lines_are_forgotten() -> None:
    file = TrackedFile("a.py")
    file.show(0, Shown(1, ("one", "two"), 2))
    era = file.content.era
    file.doubt()
    assert file.remembers(era)
    file.settle()
    assert file.content.era is era
    file.forget()
    assert not file.remembers(era)
