"""Recorded turns as the messages of an Anthropic request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from prunus.clients.recorded_file import JsonObject, Session, rows, text
from prunus.clients.turns import Paired, RecordedTurn, session_from

_THINKING = ("thinking", "redacted_thinking")


def answer_turn(
    blocks: Iterable[JsonObject], time: float | None, *, carried: bool = False, billed: int = 0
) -> RecordedTurn:
    """The answer of the model, from its content blocks; `billed` are the tokens of its request, if known."""
    kept = _not_empty(blocks)
    calls = tuple(text(block.get("id")) for block in kept if block.get("type") == "tool_use")
    return RecordedTurn("assistant", {"content": kept}, calls, time=time, carried=carried, billed=billed)


def user_turns(content: Any, time: float | None) -> list[RecordedTurn]:
    """The user's side of a message: each tool result, then the rest as one message."""
    if isinstance(content, str):
        return [RecordedTurn("user", {"content": content}, time=time)] if content.strip() else []
    turns, rest = [], []
    for block in _not_empty(rows(content)):
        if block.get("type") == "tool_result":
            result = dict(block)
            if isinstance(result.get("content"), list):
                result["content"] = _not_empty(rows(result["content"]))
            turns.append(RecordedTurn("tool", result, answers=text(block.get("tool_use_id")) or "?", time=time))
        else:
            rest.append(block)
    if rest:
        turns.append(RecordedTurn("user", {"content": rest}, time=time))
    return turns


def as_session(turns: Sequence[RecordedTurn], model: str = "", skipped: int = 0) -> Session:
    """Alternating messages: results of one answer together, first in the message after it.

    https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use
    """
    return session_from(turns, "anthropic_messages", model, skipped, _add, asks_again=False)


def _add(messages: list[JsonObject], paired: Paired) -> bool:
    """Add words to the model, or an answer without calls that have no result; mere thinking is left out."""
    if paired.turn.role != "assistant":
        _append(messages, "user", paired.turn.payload["content"])
        return True
    results = iter(paired.results)
    blocks = [
        block
        for block in paired.turn.payload["content"]
        if block.get("type") != "tool_use" or next(results) is not None
    ]
    # The first message has to be the user's.
    if not messages or all(block.get("type") in _THINKING for block in blocks):
        return False
    _append(messages, "assistant", blocks)
    if paired.answered:
        _append(messages, "user", [result.payload for result in paired.answered])
    return True


def _append(messages: list[JsonObject], role: str, content: Any) -> None:
    """Add content, to the last message if that has the same role."""
    if not messages or messages[-1]["role"] != role:
        messages.append({"role": role, "content": content})
        return
    before = messages[-1]["content"]
    messages[-1] = {"role": role, "content": content_blocks(before) + content_blocks(content)}


def content_blocks(content: Any) -> list[JsonObject]:
    """The blocks of a content, which may be one string."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else rows(content)


def _not_empty(blocks: Iterable[JsonObject]) -> list[JsonObject]:
    """The blocks without empty text blocks, which the provider refuses."""
    return [b for b in blocks if b.get("type") != "text" or text(b.get("text")).strip()]
