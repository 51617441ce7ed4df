"""What the model itself said in a message: whose it is, its words, and its calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from prunus.agent.calls import Site, calls_of
from prunus.agent.exchange import blocks_of, words_of

__all__ = ["by_model", "canonical", "ids_and_words", "said"]

_THOUGHTS: Final = ("thinking", "redacted_thinking")
_UNSTABLE: Final = frozenset({"id", "status", "cache_control", "thoughtSignature", "thought_signature"})
"""Keys that a client may leave out or change in its copy of what the model said."""


def by_model(format: str, message: dict[str, Any]) -> bool:
    """Whether the model said this."""
    if format != "openai_responses":
        return message.get("role") == ("model" if format == "gemini" else "assistant")
    kind = str(message.get("type", "message"))
    return kind.endswith("_call") or kind == "reasoning" or message.get("role") == "assistant"


def ids_and_words(format: str, message: dict[str, Any]) -> tuple[list[str], str]:
    """The ids of the calls and the words of a message of the model."""
    content = message.get("content")
    match format:
        case "anthropic_messages":
            blocks = blocks_of(content)
            words = content if isinstance(content, str) else [b for b in blocks if b.get("type") == "text"]
            return [str(b.get("id")) for b in blocks if b.get("type") == "tool_use"], words_of(words)
        case "openai_chat":
            return [str(call.get("id")) for call in blocks_of(message.get("tool_calls"))], words_of(content)
        case "gemini":
            parts = [part for part in blocks_of(message.get("parts")) if not part.get("thought")]
            return [], words_of(parts)
    kind = str(message.get("type", "message"))
    if kind.endswith("_call"):
        return [str(message.get("call_id") or message.get("id"))], ""
    return [], words_of(content) if kind == "message" else ""


def said(format: str, message: dict[str, Any]) -> list[Any]:
    """What stays of a message of the model in every copy of it: words, calls, and whatever else is no reasoning.

    Clients leave reasoning out, trim words, and write arguments and ids of items in their own way.
    """
    _, words = ids_and_words(format, message)
    found: list[Any] = ["".join(words.split())]
    found += ([site.id, site.tool, canonical(site)] for site in calls_of(format, message))
    found += _others(format, message)
    return found if any(found) else []


def canonical(site: Site) -> str:
    """The arguments of a call in one way of writing, whatever that of the client is."""
    value = site.arguments
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return site.text
    return msgspec.json.encode(value, order="sorted").decode()


def _others(format: str, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What is neither words nor reasoning nor a call whose arguments are read."""
    match format:
        case "anthropic_messages":
            found = [
                block
                for block in blocks_of(message.get("content"))
                if block.get("type") not in ("text", *_THOUGHTS)
                and not (block.get("type") == "tool_use" and isinstance(block.get("input"), dict))
            ]
        case "openai_chat":
            found = [call for call in blocks_of(message.get("tool_calls")) if "function" not in call]
        case "gemini":
            found = [
                part
                for part in blocks_of(message.get("parts"))
                if not part.get("thought") and not part.keys() & {"text", "functionCall", "function_call"}
            ]
        case _:
            kind = message.get("type", "message")
            found = [] if kind in ("message", "reasoning", "function_call") else [message]
    return ({key: value for key, value in one.items() if key not in _UNSTABLE} for one in found)
