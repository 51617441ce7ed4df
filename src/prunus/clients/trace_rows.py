"""Rows of an organisation's own traces, from JSON lines or from a Parquet file.

A row is a request, or one of its columns holds a request or a list of messages: as values, or as JSON text. The
column is found by its content. A column such as `session_id` says which rows belong together. Rows of one session
that begin alike are the growing requests of one conversation; a row that stands alone is a whole conversation. If
rows hold one message each, those of a session are a conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from prunus.clients.api_trace import recorded_requests
from prunus.clients.columns import model_of, session_of, time_of, without_columns
from prunus.clients.recorded_file import JsonObject, Recording, Session, text
from prunus.clients.saved_requests import SavedMessages, saved_body, saved_list
from prunus.json.surrogates import decode
from prunus.providers import digest

AGENT = "trace-rows"

_FIRST: Final = ("messages", "request", "body")
"""Columns that are asked before the others."""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One row: its messages, and when they were sent."""

    saved: SavedMessages
    model: str
    time: float | None = None

    @property
    def opening(self) -> bytes:
        """The same for all requests of one conversation."""
        said = [message for message in self.saved.messages if message.get("role") not in ("system", "developer")]
        first = (said or self.saved.messages)[0]
        return digest(first, msgspec.json.encode(first))


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
        yield from _conversations(recording, rows)


def _conversations(recording: Recording, rows: Sequence[JsonObject]) -> Iterator[Session]:
    """The conversations of one session."""
    found = [row for row in map(_row, rows) if row is not None]
    unusable = len(rows) - len(found)
    if not found:
        ordered = sorted(rows, key=lambda row: time_of(row) or 0.0)
        messages = [{key: _unpacked(value) for key, value in without_columns(row).items()} for row in ordered]
        if (saved := saved_list(messages)) is not None:
            found, unusable = [TraceRow(saved, model_of(rows[0]))], 0
    conversations: dict[bytes, list[TraceRow]] = {}
    for row in found:
        conversations.setdefault(row.opening, []).append(row)
    for requests in conversations.values():
        yield _session(recording, requests, unusable)


def _session(recording: Recording, rows: Sequence[TraceRow], unusable: int) -> Session:
    """One conversation: a row that says it all, or the requests that led to the longest."""
    longest = max(rows, key=lambda row: len(row.saved.messages))
    saved = longest.saved
    if len(rows) == 1:
        dialogue = saved.dialogue()
    else:
        dialogue = recorded_requests([(row.saved.messages, row.time) for row in rows], saved.messages)
    return recording.session(
        saved.format.name.replace("_", "-"),
        saved.format.name,
        longest.model,
        dialogue,
        envelope=saved.envelope,
        unusable=saved.unusable + unusable,
    )


def _row(row: JsonObject) -> TraceRow | None:
    """The messages of a row; None if the row holds none."""
    saved = saved_body(row)
    for column in dict.fromkeys([*(name for name in _FIRST if name in row), *row]):
        if saved is not None:
            break
        value = _unpacked(row[column])
        if isinstance(value, dict):
            saved = saved_body(value)
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            saved = saved_list(value)
    if saved is None or not saved.messages:
        return None
    return TraceRow(saved, text(saved.body.get("model")) or model_of(row), time_of(row))


def _unpacked(value: Any) -> Any:
    """The value of a JSON text of an object or list; other values as they are."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return value
