"""The answers to calls of the agent's tools, including invalid calls."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from prunus import Settings, prune
from prunus.agent import execute
from prunus.agent.inspection import inspect
from prunus.errors import FormatError
from prunus.requested.commands import swept
from prunus.strategies.asked import Requested
from tests.formats import FIELDS, call_and_result

TEXT = "line of a file\n" * 60
SETTINGS = Settings(agent={"offer": "mcp"})
every_format = pytest.mark.parametrize("format", FIELDS)


def body(format: str, count: int = 2) -> bytes:
    """A request in which files were read."""
    first = (
        {"role": "user", "parts": [{"text": "Go."}]} if format == "gemini" else {"role": "user", "content": "Go."}
    )
    messages: list[Any] = [first]
    for n in range(count):
        messages += call_and_result(format, f"call_{n}", "read_file", {"path": f"/{n}"}, f"{n}\n{TEXT}")
    return json.dumps({"model": "claude-x", FIELDS[format]: messages}).encode()


def ids(raw: bytes, format: str) -> list[str]:
    return re.findall(r"\[id ([0-9a-f]+)", prune(raw, SETTINGS, format=format).body.decode())


@every_format
@pytest.mark.parametrize(
    "arguments",
    ["", "{", "[]", "7", "null", "{}", {}, {"action": "discard"}, {"action": 7, "targets": 7}, '"\\ud800"'],
)
def test_an_invalid_request_gets_an_answer_and_cuts_nothing(format: str, arguments: Any) -> None:
    raw = body(format)
    words = execute(raw, arguments, SETTINGS, format=format)
    assert "Not understood: " in words
    assert "Discarded" not in words
    messages = call_and_result(format, "p", "context_prune", arguments, words)
    whole = {**json.loads(raw), FIELDS[format]: [*json.loads(raw)[FIELDS[format]], *messages]}
    assert [
        edit for edit in prune(json.dumps(whole).encode(), SETTINGS, format=format).edits if edit.when.requested_by
    ] == []


@every_format
def test_an_invalid_target_does_not_keep_the_other_targets(format: str) -> None:
    raw = body(format)
    first, second = ids(raw, format)
    given = {"action": "discard", "targets": [[first], ["ffffff"], [second], [first]]}
    words = execute(raw, given, SETTINGS, format=format)
    assert words.startswith("Discarded ")
    assert "2 results" in words
    assert "Not found: ffffff." in words


def test_the_answer_names_only_the_first_results() -> None:
    raw = body("openai_chat", count=9)
    words = execute(raw, {"action": "discard", "targets": [["tools"]]}, SETTINGS)
    assert "and 3 more: 9 results" in words


def test_a_history_without_tools_has_nothing_to_prune() -> None:
    words = execute(body("openai_chat", count=0), {"action": "discard", "targets": [["tools"]]}, SETTINGS)
    assert words == "Nothing to do."
    assert "Nothing could go." in execute(body("openai_chat", count=0), {}, SETTINGS, tool="context_info")


def test_an_empty_request_is_answered() -> None:
    assert "run tools first" in execute({"messages": []}, {"action": "discard", "targets": [["ffffff"]]})


@every_format
def test_the_tool_need_not_be_offered_by_the_settings(format: str) -> None:
    raw = body(format)
    given = {"action": "discard", "targets": [["tools"]]}
    assert execute(raw, given, Settings(), format=format) == execute(raw, given, SETTINGS, format=format)


def test_edits_in_force_are_those_that_are_given() -> None:
    raw = body("openai_chat")
    [first, _] = ids(raw, "openai_chat")
    given = {"action": "restore", "targets": [[first]]}
    assert "nothing to restore" in execute(raw, given, SETTINGS, edits=())
    cut = call_and_result("openai_chat", "p", "context_prune", {"action": "discard", "targets": [[first]]}, "ok")
    longer = {**json.loads(raw), "messages": [*json.loads(raw)["messages"], *cut]}
    edits = prune(longer, SETTINGS).edits
    assert execute(longer, given, SETTINGS, edits=edits).startswith("Restored ")


@pytest.mark.parametrize("raw", [b"", b"no json", b"7", b"{}", b"\xff"])
def test_a_body_that_is_no_request_gets_an_error_message(raw: bytes) -> None:
    with pytest.raises(FormatError):
        execute(raw, {"action": "discard", "targets": [["tools"]]})


def failing(format: str) -> bytes:
    """A request in which a read, a failing command, an edit and the same read again were made."""
    first: Any = {"role": "user", "content": "Go."}
    if format == "gemini":
        first = {"role": "user", "parts": [{"text": "Go."}]}
    failed = call_and_result(format, "c2", "bash", {"command": "make"}, f"Exit code 2\nmake: *** Error 2\n{TEXT}")
    if format == "anthropic_messages":
        failed[-1]["content"][0]["is_error"] = True
    if format == "gemini":
        answer = failed[-1]["parts"][0]["functionResponse"]
        answer["response"] = {"error": answer["response"]["output"]}
    edit = {"filePath": "/b", "oldString": "x", "newString": "y"}
    messages = [
        first,
        *call_and_result(format, "c1", "read", {"filePath": "/a"}, TEXT),
        *failed,
        *call_and_result(format, "c3", "edit", edit, f"Edited. {TEXT}"),
        *call_and_result(format, "c4", "read", {"filePath": "/a"}, TEXT),
        *call_and_result(format, "c5", "bash", {"command": "pwd -P"}, TEXT),
    ]
    return json.dumps({"model": "claude-x", FIELDS[format]: messages}).encode()


@every_format
def test_the_answer_says_of_each_target_why_it_cannot_be_pruned(format: str) -> None:
    raw = failing(format)
    settings = Settings(preset="acp", agent={"offer": "mcp"}, turn_protection=2)
    whole = inspect(raw, settings, format).engine
    read, failed, edit, again, newest = (whole.view.names[use.result] for use in whole.view.uses)
    given = {"action": "discard", "targets": [[read], [failed], [edit], [again], [newest], ["ffffff"]]}
    words = execute(raw, given, settings, format=format)
    assert "Discarded read of /a: 1 result" in words
    assert "Already pruned: read of /a" in words
    assert "(a failed call stays for debugging)" in words and "(edit is protected)" in words
    assert "Goes later: output of `pwd -P` (younger than 2 turns)" in words
    assert "Not found: ffffff." in words
    assert execute(raw, {"action": "discard", "targets": [[failed]]}, Settings(), format=format).startswith(
        "Discarded "
    )


@every_format
def test_a_failed_call_cannot_be_distilled_or_swept_in_acp(format: str) -> None:
    raw = failing(format)
    settings = Settings(preset="acp", agent={"offer": "mcp"})
    engine = inspect(raw, settings, format).engine
    failed = engine.view.uses[1]
    words = execute(
        raw,
        {"action": "distill", "targets": [[engine.view.names[failed.result], "short"]]},
        settings,
        format=format,
    )
    assert words.startswith("Protected: ") and "stays for debugging" in words
    assert failed not in swept("", len(engine.view.turns), engine.view, engine.requests or Requested())
