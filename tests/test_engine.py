"""The promises of the engine itself; the case files show what strategies do."""

from __future__ import annotations

import json
from typing import Any

from prunus import Pruner, Settings


def session(reads: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at it."}]
    for n in range(reads):
        use = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": "a.py"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"some line {n} of code\n" * 40}
        messages += ({"role": "assistant", "content": [use]}, {"role": "user", "content": [result]})
    return messages


def test_a_found_edit_waits_until_the_schedule_chooses_it() -> None:
    pruner = Pruner(Settings(schedule="manual"))
    out = pruner.prune({"messages": session(4)})
    engine = pruner._conversations[-1].engine
    assert out.edits == ()
    gains = engine.pending.gains
    assert sum(cell.wanted is not None for _, cell in engine.board) == len(gains) == 3
    assert sum(tokens for _, tokens in engine.pending.waiting()) == sum(gains.values()) > 0


def test_the_size_of_each_message_follows_its_edits() -> None:
    pruner = Pruner()
    out = pruner.prune({"messages": session(4)})
    engine = pruner._conversations[-1].engine
    assert engine.tokens == engine.view.tokens - engine.made.tallies.saved
    assert engine.made.tallies.saved == sum(edit.saved for edit in out.edits) > 0


def test_a_call_whose_input_and_result_go_counts_as_one_tool() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Write it."}]
    for n in range(3):
        content = f"line {n} of the file\n" * 60
        use = {
            "type": "tool_use",
            "id": f"t{n}",
            "name": "Write",
            "input": {"file_path": "a.py", "content": content},
        }
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"written {n} " * 60}
        messages += ({"role": "assistant", "content": [use]}, {"role": "user", "content": [result]})
    out = Pruner().prune(json.dumps({"system": "s", "messages": messages}).encode())
    assert len(out.edits) == 4
    assert out.report.categories["tools"].count == 2


def test_a_body_over_the_limit_is_not_even_read() -> None:
    out = Pruner(Settings(limits={"body": 10})).prune(b"this is no JSON at all")
    assert out.error is not None
    assert "the limit is 10" in out.error
