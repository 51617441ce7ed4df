"""Sessions of OpenCode: the document that `opencode export` prints, or its messages as a list or in lines.

Call and result are one part, so there is nothing to bring together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from glob import escape
from pathlib import Path

from prunus.clients.finder import Home, SessionFolder
from prunus.clients.opencode.storage import database_recordings, is_database, stored_recording
from prunus.clients.recorded_file import Dialogue, JsonObject, Recording, Session, mapping, rows, text, unix_time

AGENT = "opencode"

_BOOKKEEPING = ("step-start", "step-finish", "snapshot", "patch")


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where OpenCode keeps its databases, and where its older versions kept files."""
    # Builds other than the released one have a database of their own, `opencode-<channel>.db`.
    data = home.named("XDG_DATA_HOME", home.path / ".local" / "share") / "opencode"
    yield data, ("opencode.db", "opencode-*.db")
    # The database took over the files of older versions and left them behind.
    if not (data / "opencode.db").exists():
        yield data / "storage" / "session", ("*/ses_*.json",)
    if home.env.get("OPENCODE_DB", "") not in ("", ":memory:"):
        database = data / home.named("OPENCODE_DB", data)
        yield database.parent, (escape(database.name),)


def gather(path: Path) -> Iterator[Recording] | None:
    """The sessions in a database, or the one session that older versions split into many small files."""
    if is_database(path):
        return database_recordings(path)
    storage = path.parent.parent.parent
    if path.suffix == ".json" and path.parent.parent.name == "session" and (storage / "message").is_dir():
        return iter((stored_recording(path, storage),))
    return None


def recognise(recording: Recording) -> bool:
    """Messages that have `info` and `parts`, or an export without messages."""
    recorded = _recorded(recording)
    if not recorded and isinstance(recording.document, dict):
        return isinstance(recording.document.get("info"), dict) and "messages" in recording.document
    return any("info" in message and "parts" in message for message in recorded)


def sessions(recording: Recording) -> Iterator[Session]:
    """One session for each context window."""
    recorded = _recorded(recording)
    messages = [m for m in recorded if isinstance(m.get("info"), dict) and isinstance(m.get("parts"), list)]
    start, carried = 0, list[JsonObject]()
    while start <= len(messages):
        end = next((i for i in range(start, len(messages)) if _compaction(messages[i])), len(messages))
        new = messages[start:end]
        yield recording.session(
            AGENT,
            "opencode",
            next((text(m["info"].get("modelID")) for m in new if _is_answer(m)), ""),
            _dialogue(carried, new),
            unusable=len(recorded) - len(messages),
        )
        if end == len(messages):
            return
        start, carried = _after_compaction(messages, end)


def _recorded(recording: Recording) -> list[JsonObject]:
    if isinstance(recording.document, dict):
        return rows(recording.document.get("messages"))
    return rows(recording.document) or list(recording.lines)


def _is_answer(message: JsonObject) -> bool:
    return bool(message["info"].get("role") == "assistant")


def _compaction(message: JsonObject) -> JsonObject:
    return next((part for part in rows(message["parts"]) if part.get("type") == "compaction"), {})


def _after_compaction(messages: Sequence[JsonObject], at: int) -> tuple[int, list[JsonObject]]:
    """Where the new window's own messages start, and what it took over.

    OpenCode sends the request for a summary and the summary, then the messages
    from `tail_start_id` on that it spared.
    """
    summary = [m for m in messages[at + 1 : at + 2] if m["info"].get("summary") is True]
    tail_id = _compaction(messages[at]).get("tail_start_id")
    tail = next((i for i in range(at) if tail_id and messages[i]["info"].get("id") == tail_id), at)
    spared = [m for m in messages[tail:at] if not _compaction(m) and m["info"].get("summary") is not True]
    return at + 1 + len(summary), [messages[at], *summary, *spared]


def _dialogue(carried: Sequence[JsonObject], new: Sequence[JsonObject]) -> Dialogue:
    """Messages without interrupted calls; each answer was a request."""
    messages = [m for m in (_finished(message) for message in carried) if m]
    requests: list[int] = []
    times: list[float | None] = []
    billed: list[int] = []
    for index, message in enumerate(new):
        if _is_answer(message) and len(messages) > (requests[-1] if requests else 0):
            requests.append(len(messages))
            times.append(unix_time(mapping(message["info"].get("time")).get("created")))
            billed.append(_billed(message))
        finished = _finished(message)
        cut = index == len(new) - 1 and finished is not None and _interrupted_only(message)
        if finished and not cut:
            messages.append(finished)
    return Dialogue(tuple(messages), tuple(requests), tuple(times), tuple(billed))


def _billed(answer: JsonObject) -> int:
    """The tokens of the request for an answer, by the provider's count; 0 if it was not recorded."""
    tokens = mapping(answer["info"].get("tokens"))
    cache = mapping(tokens.get("cache"))
    counts = (tokens.get("input"), cache.get("read"), cache.get("write"))
    return sum(count for count in counts if isinstance(count, int))


def _is_open(part: JsonObject) -> bool:
    return part.get("type") == "tool" and mapping(part.get("state")).get("status") in ("running", "pending")


def _interrupted_only(message: JsonObject) -> bool:
    calls = [part for part in rows(message["parts"]) if part.get("type") == "tool"]
    return bool(calls) and all(_is_open(part) for part in calls)


def _finished(message: JsonObject) -> JsonObject | None:
    """The message without calls that never ended; None if nothing else is in it."""
    parts = [part for part in rows(message["parts"]) if not _is_open(part)]
    if len(parts) == len(message["parts"]):
        return message
    said = [part for part in parts if part.get("type") not in (*_BOOKKEEPING, "reasoning")]
    return message | {"parts": parts} if said else None
