"""Recorded turns as the messages of an Anthropic request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from prunus.clients.pairing import Paired, RecordedTurn, RequestCount, pair
from prunus.clients.recorded_file import Dialogue, JsonObject, rows, text

_THINKING = ("thinking", "redacted_thinking")


def answer_turn(blocks: Iterable[JsonObject], time: float | None, *, carried: bool = False) -> RecordedTurn:
    """The answer of the model, from its content blocks."""
    kept = _not_empty(blocks)
    calls = tuple(text(block.get("id")) for block in kept if block.get("type") == "tool_use")
    return RecordedTurn("assistant", {"content": kept}, calls, time=time, carried=carried)


def user_turns(content: Any, time: float | None) -> list[RecordedTurn]:
    """What stood on the user's side: each tool result, then the rest as one message."""
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


def dialogue(turns: Sequence[RecordedTurn]) -> Dialogue:
    """Alternating messages: results of one answer together, first in the message after it.

    https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use
    """
    messages: list[JsonObject] = []
    count = RequestCount()
    for paired in pair(turns):
        turn = paired.turn
        if turn.role != "assistant":
            _append(messages, "user", turn.payload["content"])
            count.note_time(turn)
            continue
        if messages and messages[-1]["role"] == "user":
            count.add_request(len(messages), turn)
        count.note_time(turn)
        blocks = _answered(paired)
        # The first message has to be the user's.
        if paired.unfinished or not blocks or not messages:
            continue
        _append(messages, "assistant", blocks)
        results = [result for result in paired.results if result is not None]
        for result in results:
            count.note_time(result)
        if results:
            _append(messages, "user", [result.payload for result in results])
    return Dialogue(tuple(messages), tuple(count.requests), tuple(count.times))


def _answered(paired: Paired) -> list[JsonObject]:
    """The blocks without calls that have no result; none if only thinking is left."""
    results = iter(paired.results)
    blocks = [
        block
        for block in paired.turn.payload["content"]
        if block.get("type") != "tool_use" or next(results) is not None
    ]
    return [] if all(block.get("type") in _THINKING for block in blocks) else blocks


def _append(messages: list[JsonObject], role: str, content: Any) -> None:
    """Add content, to the last message if that has the same role."""
    if not messages or messages[-1]["role"] != role:
        messages.append({"role": role, "content": content})
        return
    before = messages[-1]["content"]
    messages[-1] = {"role": role, "content": _blocks(before) + _blocks(content)}


def _blocks(content: Any) -> list[JsonObject]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _not_empty(blocks: Iterable[JsonObject]) -> list[JsonObject]:
    """Without text blocks that hold no text: the provider refuses them."""
    return [b for b in blocks if b.get("type") != "text" or text(b.get("text")).strip()]
