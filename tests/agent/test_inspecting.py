"""Looking at a request changes nothing and finds what pruning finds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus import Settings, prune
from prunus.agent.inspection import inspect
from prunus.errors import FormatError
from tests.formats import call_and_result

SETTINGS = Settings(preset="acp")


def body(count: int) -> bytes:
    """The same command again and again, so that there is something to cut."""
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    for n in range(count):
        messages += call_and_result("openai_chat", f"c{n}", "bash", {"command": "git status"}, "clean\n" * 100)
    return json.dumps({"model": "gpt-5", "messages": messages}).encode()


def test_inspecting_finds_the_edits_that_pruning_makes() -> None:
    raw = body(4)
    look = inspect(raw, SETTINGS, None)
    assert look.outcome.edits == prune(raw, SETTINGS).edits != ()
    assert {edit.target for edit in look.outcome.edits} <= {edit.target for edit in look.engine.made.in_order()}


def test_given_edits_are_taken_and_the_body_stays() -> None:
    raw = body(4)
    edits = prune(raw, SETTINGS).edits
    look = inspect(raw, SETTINGS, "openai_chat", edits)
    assert look.outcome.body is raw
    assert {edit.target for edit in edits} <= {edit.target for edit in look.engine.made.in_order()}


def test_an_empty_request_can_be_looked_at() -> None:
    look = inspect(b'{"model": "gpt-5", "messages": []}', SETTINGS, "openai_chat")
    assert look.engine.view.uses == []
    assert look.window > 0


def test_the_window_is_that_of_the_model() -> None:
    windows = {
        inspect(body(1).replace(b"gpt-5", name), SETTINGS, None).window for name in (b"gpt-5", b"gemini-2.5")
    }
    assert len(windows) == 2


@pytest.mark.parametrize("raw", [b"", b"[", b'{"messages": 7}', b'{"messages": [7]}'])
def test_inspecting_a_body_that_is_no_request_is_a_format_error(raw: bytes) -> None:
    with pytest.raises(FormatError):
        inspect(raw, SETTINGS, "openai_chat")
