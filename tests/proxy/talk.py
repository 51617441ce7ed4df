"""Requests that a pruner has something to do in, one for each format."""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = ["BODIES", "PATHS", "TEXT", "body", "steps"]

TEXT: Final = "def greet(name):\n    return 'hello ' + name\n" * 40
PATHS: Final = {
    "anthropic_messages": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-2.5-pro:generateContent",
}


def steps(count: int = 4) -> list[tuple[str, dict[str, Any], str]]:
    """A file is read, written as a whole, and looked at again."""
    path = {"file_path": "/srv/greet.py"}
    first = [("Read", path, TEXT), ("Write", {**path, "content": TEXT.upper()}, "The file has been updated.")]
    return first + [("Bash", {"command": "git status"}, f"On branch main {i}\n" + TEXT) for i in range(count)]


def body(format: str, count: int = 4, **more: Any) -> bytes:
    """A request with that history as JSON bytes."""
    return json.dumps({**BODIES[format](steps(count)), **more}).encode()


def _anthropic(history: list[tuple[str, dict[str, Any], str]]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    for i, (tool, given, result) in enumerate(history):
        messages += [
            {"role": "assistant", "content": [{"type": "tool_use", "id": f"t{i}", "name": tool, "input": given}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{i}", "content": result}]},
        ]
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]
    return {"model": "claude-sonnet-4-5", "system": "Be brief.", "messages": messages, "tools": tools}


def _chat(history: list[tuple[str, dict[str, Any], str]]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    for i, (tool, given, result) in enumerate(history):
        call = {"id": f"t{i}", "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"t{i}", "content": result},
        ]
    tools = [{"type": "function", "function": {"name": "Read", "parameters": {"type": "object"}}}]
    return {"model": "gpt-5", "messages": messages, "tools": tools}


def _responses(history: list[tuple[str, dict[str, Any], str]]) -> dict[str, Any]:
    items: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    for i, (tool, given, result) in enumerate(history):
        items += [
            {"type": "function_call", "call_id": f"t{i}", "name": tool, "arguments": json.dumps(given)},
            {"type": "function_call_output", "call_id": f"t{i}", "output": result},
        ]
    return {"model": "gpt-5", "input": items, "tools": [{"type": "function", "name": "Read", "parameters": {}}]}


def _gemini(history: list[tuple[str, dict[str, Any], str]]) -> dict[str, Any]:
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "Go on."}]}]
    for tool, given, result in history:
        answer = {"functionResponse": {"name": tool, "response": {"output": result}}}
        contents += [
            {"role": "model", "parts": [{"functionCall": {"name": tool, "args": given}}]},
            {"role": "user", "parts": [answer]},
        ]
    return {"contents": contents, "tools": [{"functionDeclarations": [{"name": "Read"}]}]}


BODIES: Final = {
    "anthropic_messages": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
    "gemini": _gemini,
}
