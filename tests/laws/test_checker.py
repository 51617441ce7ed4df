"""The checker of the other laws: it must see what a provider would refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.generate.build import build
from tests.generate.render import FORMATS, render
from tests.validity import FIELDS, compare, new_problems, problems

DRAWN: list[Any] = [
    ([("read", 0, 0, 90, ""), ("write", 1, 0, 90, "")], "open", 6),
    ([("shell", 0, 0, 40, "failed")], "hidden", 6),
    ([("hosted", 0, 0, 40, ""), ("remote", 0, 0, 40, ""), ("program", 0, 0, 40, "")], "hidden", 6),
    ([], "open", 6),
    ("code", 30),
    ([("read", 0, 0, 90, "")], "open", 6),
]
SESSION = build(DRAWN)


def spoiled(format: str, spoil: Callable[[list[Any]], None]) -> tuple[Any, Any]:
    before = render(SESSION, format)
    after = deepcopy(before)
    spoil(after if isinstance(after, list) else after[FIELDS[format]])
    return before, after


def first(messages: list[Any], where: Callable[[Any], bool]) -> tuple[Any, int, Any]:
    """The list, the index and the value of the first node that fits."""

    def walk(node: Any) -> tuple[Any, int, Any] | None:
        inside = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        for i, value in enumerate(inside):
            if isinstance(node, list) and isinstance(value, dict) and where(value):
                return node, i, value
            if found := walk(value):
                return found
        return None

    found = walk(messages)
    assert found
    return found


def drop(where: Callable[[Any], bool]) -> Callable[[list[Any]], None]:
    def spoil(messages: list[Any]) -> None:
        holder, index, _ = first(messages, where)
        del holder[index]

    return spoil


def put(where: Callable[[Any], bool], key: str, value: Any) -> Callable[[list[Any]], None]:
    def spoil(messages: list[Any]) -> None:
        first(messages, where)[2][key] = value

    return spoil


def typed(kind: str) -> Callable[[Any], bool]:
    return lambda node: node.get("type") == kind


SPOILS: list[tuple[str, Callable[[list[Any]], None]]] = [
    ("anthropic_messages", drop(typed("tool_result"))),
    ("anthropic_messages", drop(typed("tool_use"))),
    ("anthropic_messages", put(typed("tool_result"), "content", 3)),
    ("anthropic_messages", put(typed("tool_result"), "tool_use_id", "other")),
    ("anthropic_messages", put(typed("tool_use"), "name", "Other")),
    ("anthropic_messages", put(typed("tool_use"), "input", {"file_path": "[gone]"})),
    ("anthropic_messages", put(typed("thinking"), "thinking", "less")),
    ("anthropic_messages", put(typed("thinking"), "signature", "")),
    ("anthropic_messages", put(typed("text"), "text", "")),
    ("anthropic_messages", lambda m: m.pop()),
    ("anthropic_messages", lambda m: m.reverse()),
    ("anthropic_messages", drop(typed("server_tool_use"))),
    ("anthropic_messages", drop(typed("mcp_tool_use"))),
    ("anthropic_messages", put(typed("web_search_tool_result"), "content", [])),
    ("anthropic_messages", put(lambda n: "caller" in n, "input", {})),
    ("openai_chat", drop(lambda n: n.get("role") == "tool")),
    ("openai_chat", drop(lambda n: n.get("type") == "function")),
    ("openai_chat", put(lambda n: n.get("role") == "tool", "content", None)),
    ("openai_chat", put(lambda n: "reasoning_content" in n, "reasoning_content", "")),
    ("openai_chat", put(lambda n: n.get("role") == "user", "content", "Other words.")),
    ("openai_chat", put(lambda n: n.get("role") == "assistant", "content", "Other words.")),
    ("openai_chat", put(lambda n: n.get("role") == "system", "content", "Other words.")),
    ("openai_responses", drop(typed("function_call_output"))),
    ("openai_responses", drop(typed("custom_tool_call"))),
    ("openai_responses", drop(lambda n: str(n.get("id")).startswith("rs_"))),
    ("openai_responses", put(typed("function_call"), "arguments", "{")),
    ("openai_responses", put(typed("reasoning"), "encrypted_content", "x")),
    ("openai_responses", put(typed("shell_call_output"), "output", "words")),
    ("openai_responses", put(typed("web_search_call"), "status", "failed")),
    ("openai_responses", put(lambda n: "caller" in n and "output" in n, "output", "less")),
    ("openai_responses", drop(typed("program_output"))),
    ("gemini", drop(lambda n: "functionResponse" in n)),
    ("gemini", drop(lambda n: "thoughtSignature" in n)),
    ("gemini", put(lambda n: "thoughtSignature" in n, "thoughtSignature", "x")),
    ("gemini", put(lambda n: "functionResponse" in n, "text", "x")),
    ("gemini", drop(lambda n: "toolResponse" in n)),
    ("opencode", drop(typed("tool"))),
    ("opencode", drop(typed("patch"))),
    ("opencode", put(typed("tool"), "callID", "other")),
    ("opencode", put(typed("text"), "text", "Other words.")),
]


@pytest.mark.parametrize("format", list(FORMATS))
def test_a_valid_session_has_no_problems(format: str) -> None:
    body = render(SESSION, format)
    assert problems(body, format) == []
    assert new_problems(body, json.loads(json.dumps(body)), format) == []


@pytest.mark.parametrize(("format", "spoil"), SPOILS)
def test_a_spoiled_request_is_noticed(format: str, spoil: Callable[[list[Any]], None]) -> None:
    before, after = spoiled(format, spoil)
    assert new_problems(before, after, format)


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat", "openai_responses", "gemini"])
def test_tools_may_not_change(format: str) -> None:
    before = render(SESSION, format)
    assert compare(before, {**before, "tools": []}, format)


def test_reasoning_of_the_open_loop_may_not_go() -> None:
    def thinks(node: Any) -> bool:
        return bool(node.get("type") == "thinking")

    def last(messages: list[Any]) -> None:
        messages.reverse()
        drop(thinks)(messages)
        messages.reverse()

    assert new_problems(*spoiled("anthropic_messages", last), "anthropic_messages")
    assert new_problems(*spoiled("anthropic_messages", drop(thinks)), "anthropic_messages") == []
