"""Sessions of several agents that their owners converted to chat messages.

The conversion split each answer into messages of one block and lost which of
them belonged together; messages of sub-agents stand between the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from prunus.clients.chat_turns import as_session, message_turn, plain_turns
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, rows, text, unix_time
from prunus.clients.turns import RecordedTurn

_MAIN = ""
_NAMELESS = "subagent"
"""The source of a sub-agent's messages if no name is given."""


def recognise(recording: Recording) -> bool:
    """Chat messages with blocks or metadata that no provider knows."""
    return any(
        "_metadata" in message
        or any(block.get("type") in ("tool_call", "tool_output") for block in rows(message.get("content")))
        for message in rows(mapping(recording.document).get("messages"))
    )


def sessions(recording: Recording) -> Iterator[Session]:
    """The main conversation, then each sub-agent's."""
    for turns in _conversations(rows(recording.document["messages"])):
        yield as_session(_whole_answers(turns), _model(recording.document))


def _conversations(messages: Iterable[JsonObject]) -> Iterator[Sequence[RecordedTurn]]:
    """The turns of the main conversation, then those of each sub-agent.

    The role or `_metadata.source` marks the messages of a sub-agent. A source that names no sub-agent stands for
    several in a row, and each of them begins with what it was asked. A result belongs to whoever made the call.
    """
    found: dict[tuple[str, int], list[RecordedTurn]] = {(_MAIN, 0): []}
    number: dict[str, int] = {}
    callers: dict[str, tuple[str, int]] = {}
    for message in messages:
        source = _source(message)
        for turn in _turns(message):
            if source == _NAMELESS and turn.role == "user":
                number[source] = number.get(source, 0) + 1
            speaker = callers.get(turn.answers, (source, number.get(source, 0)))
            callers.update(dict.fromkeys(turn.calls, speaker))
            found.setdefault(speaker, []).append(turn)
    yield from found.values()


def _source(message: JsonObject) -> str:
    """The sub-agent that a message belongs to; empty for the main conversation."""
    _, _, named = text(message.get("role")).partition("-subagent-")
    source = text(mapping(message.get("_metadata")).get("source"))
    return named or (source if source.startswith(_NAMELESS) else _MAIN)


def _turns(message: JsonObject) -> list[RecordedTurn]:
    """A message in wire shape: texts as content, a call only in `tool_calls`."""
    metadata = mapping(message.get("_metadata"))
    time = unix_time(metadata.get("timestamp"))
    role = "tool" if message.get("tool_call_id") else metadata.get("original_role") or message.get("role")
    wire = message | {"role": role, "content": _content(message.get("content"))}
    if role == "tool":
        wire.pop("tool_calls", None)
    return [message_turn(turn.payload, time) for turn in plain_turns([wire])]


def _content(content: Any) -> Any:
    """One string if there is only text, else the blocks that are not calls."""
    if not isinstance(content, list):
        return content
    blocks = [block for block in rows(content) if block.get("type") != "tool_call"]
    if all(block.get("type") in ("text", "tool_output") for block in blocks):
        return "\n\n".join(filter(None, (text(block.get("text")) for block in blocks)))
    return blocks


def _whole_answers(turns: Sequence[RecordedTurn]) -> list[RecordedTurn]:
    """Neighbouring messages of the model put together again."""
    whole: list[RecordedTurn] = []
    for turn in turns:
        if turn.role == "assistant" and whole and whole[-1].role == "assistant":
            before = whole[-1]
            whole[-1] = message_turn(_joined(before.payload, turn.payload), before.time)
        else:
            whole.append(turn)
    return whole


def _joined(one: JsonObject, other: JsonObject) -> JsonObject:
    joined: JsonObject = {
        "role": "assistant",
        "content": _joined_content(one.get("content"), other.get("content")),
    }
    calls = rows(one.get("tool_calls")) + rows(other.get("tool_calls"))
    return joined | {"tool_calls": calls} if calls else joined


def _joined_content(one: Any, other: Any) -> Any:
    if not isinstance(one, list) and not isinstance(other, list):
        return "\n\n".join(filter(None, (text(one), text(other))))
    blocks: list[Any] = []
    for content in (one, other):
        blocks += content if isinstance(content, list) else [{"type": "text", "text": text(content)}]
    return [block for block in rows(blocks) if block.get("type") != "text" or block.get("text")]


def _model(document: JsonObject) -> str:
    """The first model named in what was recorded about the session."""
    meta = mapping(document.get("meta"))
    models = meta.get("models")
    contexts = rows(document.get("turn_contexts")) + rows(meta.get("turn_contexts"))
    named = [*(models if isinstance(models, list) else []), *(context.get("model") for context in contexts)]
    return next((model for model in named if isinstance(model, str)), "")
