"""Minimal tool definitions, for recordings that hold none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from prunus.clients.fields import mapping, rows, text

_ANY_OBJECT = {"type": "object", "properties": {}}


def tool_definitions(format: str, messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A definition for each tool that the messages call, in order of first use."""
    kinds = dict.fromkeys(called for message in messages for called in _called(format, message))
    match format:
        case "anthropic_messages":
            return [{"name": name, "input_schema": _ANY_OBJECT} for name, _ in kinds]
        case "openai_chat":
            return [
                {"type": "function", "function": {"name": name, "parameters": _ANY_OBJECT}} for name, _ in kinds
            ]
        case "openai_responses":
            return [_response_tool(name, kind) for name, kind in kinds]
        case "gemini":
            declared = [{"name": name, "parametersJsonSchema": _ANY_OBJECT} for name, _ in kinds]
            return [{"functionDeclarations": declared}] if declared else []
        case _:
            return []


def _called(format: str, message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and kind of each tool called in one message."""
    match format:
        case "anthropic_messages":
            for block in rows(message.get("content")):
                if block.get("type") == "tool_use":
                    yield text(block.get("name")), "function"
        case "openai_chat":
            for call in rows(message.get("tool_calls")):
                yield text(mapping(call.get("function")).get("name")), "function"
        case "openai_responses":
            if message.get("type") in ("function_call", "custom_tool_call"):
                yield text(message.get("name")), text(message["type"])
        case "gemini":
            for part in rows(message.get("parts")):
                if "functionCall" in part:
                    yield text(mapping(part["functionCall"]).get("name")), "function"


def _response_tool(name: str, kind: str) -> dict[str, Any]:
    if kind == "custom_tool_call":
        return {"type": "custom", "name": name}
    return {"type": "function", "name": name, "parameters": _ANY_OBJECT, "strict": False}
