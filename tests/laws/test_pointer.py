"""Pointer: what a note points to is there in full."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import Pruner, Settings
from prunus.edits import Note
from tests.laws.cases import bodies, every_case, one_shot
from tests.strategies.fillers import filler


@every_case
@given(data=st.data())
def test_the_target_of_a_pointer_is_untouched(format: str, preset: str, data: Any) -> None:
    out = one_shot(data.draw(bodies(format)), preset)
    touched = {edit.target for edit in out.edits}
    assert touched.isdisjoint(edit.points_to for edit in out.edits)
    assert preset.endswith("full") or not any(edit.when.under_pressure for edit in out.edits)
    assert len(touched) == len(out.edits)


def talk(*answers: tuple[str, str]) -> list[list[dict[str, Any]]]:
    """The requests of a conversation in which files are read; result n is message 2n + 2."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at it."}]
    requests = []
    for number, (path, text) in enumerate(answers):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": path}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        messages = [*messages, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        requests.append(messages)
    return requests


ONE, TWO = filler(400, "lines", "one"), filler(400, "lines", "two")
BACK = {"duplicate_calls": {"enabled": True, "point_back": True}, "repeated_views": {"enabled": True}}


def body(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"system": TWO, "max_tokens": 100, "messages": messages}


def test_an_answer_that_says_the_same_is_never_sent_in_full() -> None:
    pruner = Pruner(Settings(preset="off", strategies=BACK))
    before: list[Any] = []
    for messages in talk(("a.py", ONE), ("b.py", TWO), ("a.py", ONE), ("c.py", "short"), ("a.py", ONE)):
        out = pruner.prune(body(messages), 0.0)
        assert out.error is None and out.flush is None
        sent = out.body["messages"]
        assert sent[: len(before)] == before
        assert str(sent).count(repr(ONE)) == 1
        before = sent
    [third, fifth] = out.edits
    assert third.points_to == fifth.points_to == (2, 0)
    assert isinstance(fifth.replacement, Note)


def test_the_target_of_a_pointer_does_not_go_before_the_pointer() -> None:
    """The file is edited and left alone, so that both reads are done with; they go together, at a cold moment."""
    done = {**BACK, "finished_results": {"enabled": True, "idle": 1}}
    settings = Settings(preset="off", strategies=done, schedules={"cache": {"patience": 1e9}})
    pruner = Pruner(settings)
    [*_, messages] = talk(("a.py", ONE), ("a.py", ONE))
    pruner.prune(body(messages[:3]), 0.0)
    pruner.prune(body(messages), 0.0)
    for number in range(9):
        given = {"file_path": "a.py", "old_string": "a", "new_string": "b"} if not number else {"n": number}
        call = {"type": "tool_use", "id": f"u{number}", "name": "Lookup" if number else "Edit", "input": given}
        result = {"type": "tool_result", "tool_use_id": f"u{number}", "content": "ok"}
        messages = [*messages, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        warm = pruner.prune(body(messages), 0.0)
        assert [(edit.target, edit.points_to) for edit in warm.edits] == [((4, 0), (2, 0))]
    cold = pruner.prune(body(messages), 10_000.0)
    assert [(edit.target, edit.strategy) for edit in cold.edits] == [
        ((2, 0), "duplicate_calls"),
        ((4, 0), "finished_results"),
    ]


def test_the_target_of_a_pointer_in_a_pruned_history_stays() -> None:
    """A loop that keeps what was sent goes on with it: the file changes, and is read again."""
    stale = {**BACK, "stale_reads": {"enabled": True}}
    settings = Settings(preset="off", schedule="eager", strategies=stale)
    [*_, messages] = talk(("a.py", ONE), ("a.py", ONE), ("b.py", "short"))
    sent = Pruner(settings).prune(body(messages)).body["messages"]
    assert sent[2] == messages[2] and sent[4] != messages[4]
    write = {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": "a.py", "content": TWO}}
    written = {"type": "tool_result", "tool_use_id": "w", "content": "ok"}
    [*_, later] = talk(("c.py", "c"), ("c.py", "c"), ("c.py", "c"), ("a.py", TWO), ("c.py", "c"))
    step = [{"role": "assistant", "content": [write]}, {"role": "user", "content": [written]}]
    grown, whole = [*sent, *step, *later[7:]], [*messages, *step, *later[7:]]
    assert Pruner(settings).prune(body(grown)).body["messages"][2] == messages[2]
    assert Pruner(settings).prune(body(whole)).body["messages"][2] != messages[2]
