"""How full the context is, and what could go."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from prunus import Settings
from prunus.agent.inspection import inspect
from tests.formats import call_and_result

TEXT = "line of a file\n" * 60
SETTINGS = Settings(agent={"offer": "mcp"})


def body(*messages: Any, **more: Any) -> bytes:
    first = {"role": "user", "content": "Go."}
    return json.dumps({"model": "claude-x", "system": "s", **more, "messages": [first, *messages]}).encode()


def read(n: int, text: str = TEXT, tool: str = "Read") -> list[Any]:
    return call_and_result("anthropic_messages", f"t{n}", tool, {"file_path": f"/{n}"}, f"{n}\n{text}")


def test_nothing_could_go_where_nothing_is() -> None:
    look = inspect(body(), SETTINGS, None)
    assert look.could_go() == []
    assert "Nothing could go." in look.info()


def test_only_what_the_tool_would_take_is_listed() -> None:
    raw = body(*read(1), *read(2, "short"), *read(3, tool="Task"))
    assert [row.what for row in inspect(raw, SETTINGS, None).could_go()] == ["read of /1"]


def test_parts_that_were_cut_already_are_not_listed() -> None:
    raw = body(*read(1), *read(2))
    [first] = [row.id for row in inspect(raw, SETTINGS, None).could_go()]
    asked = call_and_result(
        "anthropic_messages", "p", "context_prune", {"action": "discard", "targets": [[first]]}, "ok"
    )
    after = inspect(body(*read(1), *read(2), *asked), SETTINGS, None)
    assert first not in [row.id for row in after.could_go()]


def test_the_largest_come_first_and_the_rest_is_counted() -> None:
    raw = body(*(message for n in range(25) for message in read(n, TEXT * (n + 1))))
    look = inspect(raw, Settings(agent={"offer": "mcp"}, schedule="manual"), None, ())
    lines = look.info().splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("Could go"))
    # The newest result cannot go yet.
    assert "read of /23" in lines[at + 1]
    assert lines[-1] == "  and 4 more"


def test_context_info_names_the_models_own_thinking() -> None:
    block = {"type": "thinking", "thinking": "hm " * 200, "signature": "abc"}
    [call, result] = read(1)
    said = {"role": "assistant", "content": [block, *call["content"]]}
    raw = body(said, result, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "More."})
    whats = [row.what for row in inspect(raw, SETTINGS, None, ()).could_go()]
    assert "your thinking of turn 0" in whats or "your thinking of turn 1" in whats


@pytest.mark.parametrize(
    ("share", "level", "words"),
    [
        (0.3, "light", "Nothing has to go yet."),
        (0.6, "moderate", "Most of what could go are old results: discard those that you no longer need."),
        (0.8, "high", "If something here is critical, write it into the todo list first, then discard"),
        (0.95, "critical", "If you can finish the task without the history, discard all of it and focus"),
    ],
)
def test_the_advice_differs_by_level(share: float, level: str, words: str) -> None:
    raw = body(*(message for n in range(8) for message in read(n)))
    used = inspect(raw, SETTINGS, None, ()).engine.made.sizes
    window = round(used.before(len(used)) / share)
    look = inspect(raw, Settings(agent={"offer": "mcp"}, window=window, budget={"historical": 0}), None, ())
    first, *lines = look.info().splitlines()
    assert f"pressure is {level}. {words}" in first
    assert any(line.startswith("  historical: ") and line.endswith(" of 0, over budget") for line in lines)


def test_at_a_moderate_level_reasoning_is_to_be_distilled() -> None:
    block = {"type": "thinking", "thinking": "hm " * 2_000, "signature": "abc"}
    [call, result] = read(1)
    said = {"role": "assistant", "content": [block, *call["content"]]}
    raw = body(said, result, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "More."})
    look = inspect(raw, SETTINGS, None, ())
    words = replace(look, window=round(look.engine.made.sizes.before(4) / 0.6)).info()
    assert "pressure is moderate. Most of what could go is reasoning: distill it to its conclusions." in words
    assert "your thinking of turn 1" in words and "; distill: keep the conclusion" in words


def test_each_part_is_listed_with_what_the_content_type_guide_says() -> None:
    raw = body(*(message for n in range(8) for message in read(n)))
    look = inspect(raw, SETTINGS, None, ())
    says = {row.what: str(row.advice) for row in look.could_go()}
    assert says["read of /0"] == "discard: can re-read"
    assert says["read of /6"] == "keep: just read"
    assert "turn 1; discard: can re-read" in look.info()


@pytest.mark.parametrize("window", [0, 1, 200_000])
def test_context_info_shows_a_window_of_any_size(window: int) -> None:
    look = inspect(body(*read(1)), SETTINGS, None)
    assert f" of {window:,} tokens" in replace(look, window=window).fullness(())


def test_system_text_and_tools_count() -> None:
    small, large = body(), body(tools=[{"name": "x", "description": "word " * 5000, "input_schema": {}}])
    around = [inspect(raw, SETTINGS, None).around for raw in (small, large)]
    assert around[1] - around[0] > 4000
