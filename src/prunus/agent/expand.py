"""Putting hidden exchanges back into a step of a request, so that the model sees its turns as they were.

Where a client has changed its copy so much that it cannot be told apart any more, its message stays merged: that
is a legal request, and costs a cache miss and the decisions of that turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from prunus.agent.exchange import ordered_like, words_of
from prunus.agent.record import Mixed, Record
from prunus.agent.spoken import by_model
from prunus.agent.steps import Saying
from prunus.agent.wires.wire import BETWEEN
from prunus.surrogates import decode

__all__ = ["expanded"]


def expanded(format: str, sayings: Sequence[Saying], records: Mapping[int, Record]) -> list[Any]:
    """The messages of a step with the hidden exchanges of its messages, by their place in it."""
    whole: list[Any] = [msgspec.Raw(saying.raw) for saying in sayings]
    for index in sorted(records, reverse=True):
        _EXPAND[format](whole, index, sayings[index].value or {}, records[index])
    return whole


def _decoded(message: Any) -> dict[str, Any]:
    value = decode(message) if isinstance(message, msgspec.Raw) else message
    return value if isinstance(value, dict) else {}


def _anthropic(whole: list[Any], index: int, message: dict[str, Any], record: Record) -> None:
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    left = _behind(blocks, record) if isinstance(blocks, list) else None
    if left is None:
        return
    following = _decoded(whole[index + 1]) if index + 1 < len(whole) else {}
    answers = following.get("content")
    if record.mixed and isinstance(answers, list):
        results = list(answers)
        for mixed in reversed(record.mixed):
            told = {"type": "tool_result", "tool_use_id": mixed.id, "content": mixed.text}
            _insert(left, mixed.call, mixed.before, lambda block: block.get("type") == "tool_use")
            _insert(results, told, mixed.before, lambda block: block.get("type") == "tool_result")
        whole[index + 1] = {**following, "content": results}
    elif not record.messages:
        return
    whole[index : index + 1] = [*record.messages, *([{**message, "content": left}] if left else [])]


def _behind(blocks: list[Any], record: Record) -> list[Any] | None:
    """The blocks of the last hop; None where they cannot be told from those before."""
    rest, thoughts = record.text, list(record.thoughts)
    left: list[Any] = []
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        thought = _thought(block) if kind in ("thinking", "redacted_thinking") else ""
        if thought and thought in thoughts:
            thoughts.remove(thought)
        elif rest.strip() and kind == "text":
            shorter = _without(str(block.get("text", "")), rest)
            if shorter is None:
                return None
            text, rest = shorter
            if text:
                left.append({**block, "text": text})
        elif rest.strip() and kind == "tool_use":
            return None
        else:
            left.append(block)
    return None if rest.strip() else left


def _without(text: str, before: str) -> tuple[str, str] | None:
    """A text without what earlier hops said of it, and what of that is still to come."""
    if text.startswith(before):
        return text[len(before) :], ""
    # Some clients trim what they keep.
    said, trimmed = text.strip(), before.strip()
    if said.startswith(trimmed):
        return said[len(trimmed) :].lstrip("\n"), ""
    if trimmed.startswith(said):
        return "", trimmed[len(said) :]
    return None


def _thought(block: Mapping[str, Any]) -> str:
    return str(block.get("signature") or block.get("data") or block.get("thinking") or "")


def _insert(items: list[Any], item: Any, before: int, counts: Callable[[Mapping[str, Any]], bool]) -> None:
    """Put an item where `before` of those that count stand before it."""
    places = [i for i, other in enumerate(items) if isinstance(other, Mapping) and counts(other)]
    at = places[before] if before < len(places) else (places[-1] + 1 if places else len(items))
    items.insert(at, item)


def _chat(whole: list[Any], index: int, message: dict[str, Any], record: Record) -> None:
    last = dict(message)
    content = message.get("content")
    if record.text:
        shorter = _without(content, record.text) if isinstance(content, str) else None
        if shorter is None or shorter[1].strip():
            return
        last["content"] = shorter[0].removeprefix(BETWEEN) or None
    for key in ("reasoning_content", "reasoning"):
        for thought in record.thoughts:
            if isinstance(last.get(key), str) and thought:
                last[key] = last[key].removeprefix(thought)
    if record.mixed:
        made = message.get("tool_calls")
        calls = list(made) if isinstance(made, list) else []
        end = index + 1
        while end < len(whole) and _decoded(whole[end]).get("role") == "tool":
            end += 1
        results = whole[index + 1 : end]
        if not results:
            return
        for mixed in reversed(record.mixed):
            told = {"role": "tool", "tool_call_id": mixed.id, "content": mixed.text}
            calls.insert(min(mixed.before, len(calls)), mixed.call)
            results.insert(min(mixed.before, len(results)), told)
        last["tool_calls"] = calls
        whole[index + 1 : end] = results
    kept = [last] if last.get("content") or last.get("tool_calls") else []
    whole[index : index + 1] = [*record.messages, *kept]


def _responses(whole: list[Any], index: int, message: dict[str, Any], record: Record) -> None:
    start = index
    while start and by_model("openai_responses", _decoded(whole[start - 1])):
        start -= 1
    if record.messages:
        at = start
        rest, thoughts = record.text, list(record.thoughts)
        copies: dict[str, dict[str, Any]] = {}
        while at < index:
            item = _decoded(whole[at])
            if item.get("type") == "reasoning" and _reasoned(item) in thoughts:
                thoughts.remove(_reasoned(item))
                copies[_reasoned(item)] = item
            elif item.get("role") == "assistant" and rest.strip():
                shorter = _without(words_of(item.get("content")), rest)
                if shorter is None or shorter[0]:
                    return
                rest = shorter[1]
            else:
                break
            at += 1
        if rest.strip():
            return
        whole[start:at] = [
            ordered_like(item, copies.get(_reasoned(item), {})) if item.get("type") == "reasoning" else item
            for item in record.messages
        ]
        index += len(record.messages) - (at - start)
    for mixed in reversed(record.mixed):
        _mix(whole, index, mixed)


def _mix(whole: list[Any], first: int, mixed: Mixed) -> None:
    """Put a hidden call among the calls of its step, and its output among theirs."""
    calls: list[int] = []
    outputs: list[int] = []
    for at in range(first, len(whole)):
        kind = str(_decoded(whole[at]).get("type", "message"))
        if kind.endswith("_call") and not outputs:
            calls.append(at)
        elif kind.endswith("_output"):
            outputs.append(at)
        elif outputs or kind != "reasoning":
            break
    if not outputs:
        return
    told = {"type": "function_call_output", "call_id": mixed.id, "output": mixed.text}
    at = outputs[mixed.before] if mixed.before < len(outputs) else outputs[-1] + 1
    whole.insert(at, told)
    at = calls[mixed.before] if mixed.before < len(calls) else calls[-1] + 1
    whole.insert(at, mixed.call)


def _reasoned(item: Mapping[str, Any]) -> str:
    return str(item.get("encrypted_content") or item.get("id") or msgspec.json.encode(item.get("summary")).decode())


_EXPAND: Mapping[str, Callable[[list[Any], int, dict[str, Any], Record], None]] = {
    "anthropic_messages": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
}
