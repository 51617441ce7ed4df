"""Pointers: an answer points to the first of those that say the same and stay."""

from __future__ import annotations

from typing import Any

from prunus import Outcome, Pruner, Settings
from prunus.edits import Note
from tests.strategies.fillers import filler

TEXT = filler(400, "lines")
POINTING = {
    "duplicate_calls": {"enabled": True, "point_back": True},
    "shown_lines": {"enabled": True},
    "stale_reads": {"enabled": True},
}
READ = ("Read", {"file_path": "a.py"}, TEXT)
WRITE = ("Write", {"file_path": "a.py", "content": "new"}, "ok")
OTHER = ("Lookup", {}, "ok")


def asked(number: int) -> tuple[str, dict[str, Any], str]:
    """Another question that gets the same answer."""
    return "Lookup", {"number": number}, TEXT


def sent(*calls: tuple[str, dict[str, Any], str]) -> Outcome:
    """What becomes of a conversation that is seen call by call; answer n is message 2n + 2."""
    pruner = Pruner(Settings(preset="off", schedule="eager", strategies=POINTING))
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at it."}]
    for number, (tool, given, text) in enumerate(calls):
        call = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        messages += ({"role": "assistant", "content": [call]}, {"role": "user", "content": [result]})
        out = pruner.prune({"max_tokens": 100, "messages": list(messages)}, 0.0)
        assert out.error is None
    return out


def pointers(out: Outcome) -> dict[int, int]:
    """The message that each pointer shows, by its own."""
    return {edit.target.message: edit.points_to.message for edit in out.edits if edit.points_to is not None}


def test_all_point_to_the_first() -> None:
    assert pointers(sent(READ, asked(1), asked(2), asked(3), OTHER)) == {4: 2, 6: 2, 8: 2}


def test_when_the_first_answer_goes_the_others_point_to_the_second() -> None:
    out = sent(READ, asked(1), asked(2), asked(3), WRITE, OTHER)
    assert [edit.target.message for edit in out.edits if edit.strategy == "stale_reads"] == [2]
    assert pointers(out) == {6: 4, 8: 4}


def test_the_note_names_the_part_that_it_points_to_now() -> None:
    before, after = (
        [edit.replacement for edit in sent(*calls).edits if edit.points_to is not None][-1]
        for calls in ((READ, asked(1), asked(2), OTHER), (READ, asked(1), asked(2), WRITE, OTHER))
    )
    assert isinstance(before, Note) and "the earlier read of a.py shows" in before.text
    assert isinstance(after, Note) and "the earlier result of Lookup shows" in after.text


def test_a_later_equal_answer_points_to_the_same_part_as_the_others() -> None:
    assert pointers(sent(READ, asked(1), asked(2), WRITE, asked(3), OTHER)) == {6: 4, 10: 4}


LINES = [f"    value_{n} = compute_{n * 7}(first_{n}, second_{n}) or default_{n * 3}" for n in range(60)]
WRITTEN = ("Write", {"file_path": "b.py", "content": "\n".join(LINES) + "\n"}, "File created.")
SOME = "\n".join(f"{number:6}\t{line}" for number, line in list(enumerate(LINES, 1))[9:40])


def some_of(path: str) -> tuple[str, dict[str, Any], str]:
    return "Read", {"file_path": path, "offset": 10, "limit": 31}, SOME


def test_a_read_among_the_lines_of_a_write_is_no_target_for_equal_reads() -> None:
    """The first read points to the text that was written, so the second one, which says the same, does too."""
    out = sent(WRITTEN, some_of("b.py"), OTHER, some_of("b.py"), OTHER)
    assert pointers(out) == {4: 1, 8: 1}
    assert {edit.strategy for edit in out.edits} == {"shown_lines"}
    for edit in out.edits:
        assert isinstance(edit.replacement, Note) and "the earlier write of b.py shows its lines among" in str(edit)


def test_an_answer_about_another_file_does_not_point_to_a_write_of_this_file() -> None:
    assert pointers(sent(WRITTEN, some_of("b.py"), OTHER, some_of("c.py"), OTHER)) == {4: 1}
