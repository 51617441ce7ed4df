"""Rows of an organisation's own traces, from JSON lines or from a Parquet file.

A row is a request, or one of its columns holds a request or a list of messages: as values, or as JSON text. The
column is found by its content. A column such as `session_id` (capitals, `_` and `-` make no difference) says which
rows belong together. Rows of one session that begin alike are the growing requests of one conversation; a row that
stands alone is a whole conversation. If rows hold one message each, those of a session are a conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, text, unix_time
from prunus.clients.saved_requests import (
    SavedMessages,
    identity,
    recorded_requests,
    saved_body,
    saved_list,
    without_system,
)
from prunus.providers.blocks import decode_any

_FIRST: Final = ("messages", "request", "body")
"""Columns that are asked before the others."""
SESSION: Final = ("sessionid", "conversationid", "threadid", "chatid", "traceid", "session", "conversation")
"""Columns that name the session of a row, in the order in which they are asked."""
_SAID: Final = frozenset({"content", "parts", "tool_calls"})
"""Columns that hold what a message says, in rows that hold one message each."""
_TEXT: Final = frozenset({"arguments", "input", "output", "text", "reasoning", "reasoning_content"})
"""Fields of a message that are text in every format, even if the text is JSON, as that of many tools is."""
_ANSWERS: Final = ("tool", "function")
"""The roles of messages whose content is the answer of a tool."""
_TIME: Final = ("timestamp", "time", "createdat", "starttime", "startedat", "created", "date")
_MODEL: Final = ("model", "modelname", "modelid")


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One row: its messages, and when they were sent."""

    saved: SavedMessages
    model: str
    time: float | None = None

    @property
    def opening(self) -> bytes:
        """A hash of the first message, which is the same in all requests of one conversation."""
        return identity((without_system(self.saved.messages) or self.saved.messages)[0])


def recognise(recording: Recording) -> bool:
    """Rows that name their session beside messages or a role, or that hold a request in a column."""
    first = recording.lines[0] if recording.lines else {}
    if session_of(first) is None:
        return saved_body(first) is None and _row(first) is not None
    # A file of one request is a request.
    return "role" in first or (_row(first) is not None and (len(recording.lines) > 1 or saved_body(first) is None))


def sessions(recording: Recording) -> Iterator[Session]:
    """The conversations of each session, in order of appearance."""
    groups: dict[str, list[JsonObject]] = {}
    for number, line in enumerate(recording.lines):
        name = session_of(line)
        groups.setdefault(f"row {number}" if name is None else f"session {name}", []).append(line)
    for rows in groups.values():
        yield from _conversations(rows)


def _conversations(rows: Sequence[JsonObject]) -> Iterator[Session]:
    """The conversations of one session."""
    found = [row for row in map(_row, rows) if row is not None]
    unusable = len(rows) - len(found)
    if not found:
        ordered = sorted(rows, key=lambda row: _time_of(row) or 0.0)
        beside = (*SESSION, *_TIME, *_MODEL)
        messages = [{key: _field(row, key) for key in row if plain(key) not in beside} for row in ordered]
        if (saved := saved_list(messages)) is not None:
            found, unusable = [TraceRow(saved, _model_of(rows[0]))], 0
    conversations: dict[bytes, list[TraceRow]] = {}
    for row in found:
        conversations.setdefault(row.opening, []).append(row)
    for requests in conversations.values():
        yield _session(requests, unusable)


def _session(rows: Sequence[TraceRow], unusable: int) -> Session:
    """One conversation: its only row, or the longest of its requests, with the places that the others reached."""
    longest = max(rows, key=lambda row: len(row.saved.messages))
    asked = None
    if len(rows) > 1:
        asked = recorded_requests([(row.saved.messages, row.time) for row in rows], longest.saved.messages)
    return longest.saved.session(asked, model=longest.model, unusable=unusable)


def _row(row: JsonObject) -> TraceRow | None:
    """The messages of a row; None if the row holds none."""
    saved = saved_body(row)
    # The blocks of one message may look like a list of messages.
    said = _SAID if "role" in row else frozenset()
    for column in dict.fromkeys([*(name for name in _FIRST if name in row), *row]):
        if saved is not None:
            break
        if column in said:
            continue
        value = _unpacked(row[column])
        if isinstance(value, dict):
            saved = saved_body(value)
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            saved = saved_list(value)
    if saved is None or not saved.messages:
        return None
    return TraceRow(saved, _model_of(row), _time_of(row))


def _field(row: JsonObject, key: str) -> Any:
    """A field of the message that a row holds: blocks and calls from JSON text, but what somebody said as it is."""
    value = row[key]
    if key in _TEXT or (key == "content" and row.get("role") in _ANSWERS):
        return value
    found = _unpacked(value)
    if key == "content" and not (
        isinstance(found, list) and found and all(text(mapping(one).get("type")) for one in found)
    ):
        return value
    return found


def _unpacked(value: Any) -> Any:
    """The value of a JSON text of an object or list; other values as they are."""
    return decode_any(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else value


def session_of(row: Mapping[str, Any]) -> str | None:
    """The name of the session that a row belongs to; None if no column says it."""
    known = _known(row)
    return next((str(known[name]) for name in SESSION if _is_name(known.get(name))), None)


def _is_name(value: Any) -> bool:
    """Whether a value may name a session; a column named `conversation` may also hold what was said."""
    return isinstance(_unpacked(value), str | int | float) and not isinstance(value, bool) and value != ""


def _time_of(row: Mapping[str, Any]) -> float | None:
    """The Unix time of a row; None if no column says it."""
    return unix_time(_first(row, _TIME))


def _model_of(row: Mapping[str, Any]) -> str:
    """The model of a row; empty if no column says it."""
    return text(_first(row, _MODEL))


def plain(column: str) -> str:
    """The name of a column as the lists of this module spell it."""
    return column.replace("_", "").replace("-", "").lower()


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value of the first of these columns that the row has."""
    known = _known(row)
    return next((known[name] for name in names if name in known), None)


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a row by the plain names of their columns."""
    return {plain(column): value for column, value in row.items() if value is not None}
