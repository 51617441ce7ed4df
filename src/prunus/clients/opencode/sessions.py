"""Sessions of OpenCode: the document that `opencode export` prints, or its messages as a list or in lines.

OpenCode itself keeps them in `opencode.db`, an SQLite database, and kept them in small files before that. Rows and
files hold what the export prints, without the ids, so each session becomes the document of an export. Call and
result are one part, so there is nothing to bring together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from glob import escape
from pathlib import Path

from prunus.clients.client import Home, SessionFolder
from prunus.clients.recorded_file import (
    JsonObject,
    Recording,
    Session,
    decode_object,
    mapping,
    read_object,
    rows,
    text,
    total,
    unix_time,
    unnamed_session,
)
from prunus.errors import FormatError

_MAGIC = b"SQLite format 3\x00"

_SESSIONS = "SELECT id FROM session ORDER BY time_created, id"
# As bytes, because SQLite refuses to hand out text that is not UTF-8.
_MESSAGES = (
    "SELECT id, CAST(coalesce(data, '') AS BLOB) FROM message WHERE session_id = ? ORDER BY time_created, id"
)
_PARTS = "SELECT id, message_id, CAST(coalesce(data, '') AS BLOB) FROM part WHERE session_id = ? ORDER BY id"
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
    if _is_database(path):
        return database_recordings(path)
    storage = path.parent.parent.parent
    if path.suffix == ".json" and path.parent.parent.name == "session" and (storage / "message").is_dir():
        return iter((_stored_recording(path, storage),))
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
        yield replace(_session(carried, new), skipped=len(recorded) - len(messages))
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


def _session(carried: Sequence[JsonObject], new: Sequence[JsonObject]) -> Session:
    """Messages without interrupted calls; each answer was a request."""
    messages = [m for m in (_finished(message) for message in carried) if m]
    requests: list[tuple[int, float | None, int]] = []
    for index, message in enumerate(new):
        if _is_answer(message) and len(messages) > (requests[-1][0] if requests else 0):
            time = unix_time(mapping(message["info"].get("time")).get("created"))
            tokens = mapping(message["info"].get("tokens"))
            billed = total(tokens, ("input",)) + total(tokens.get("cache"), ("read", "write"))
            requests.append((len(messages), time, billed))
        finished = _finished(message)
        cut = index == len(new) - 1 and finished is not None and _interrupted_only(message)
        if finished and not cut:
            messages.append(finished)
    model = next((text(message["info"].get("modelID")) for message in new if _is_answer(message)), "")
    return unnamed_session("opencode", model, messages, requests)


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


def _is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, or by its name should be one."""
    with path.open("rb") as file:
        return path.suffix == ".db" or file.read(len(_MAGIC)) == _MAGIC


def database_recordings(path: Path, *, patience: float = 5.0) -> Iterator[Recording]:
    """One recording for each session, oldest first, read lazily.

    The database is only read, and between two sessions it is not held, so OpenCode
    can go on writing. SQLite may leave its own `-wal` and `-shm` files beside it, as
    any reader does. `patience` is how many seconds to wait while it is locked.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", patience, uri=True)) as database:
            for (id,) in database.execute(_SESSIONS).fetchall():
                yield _recording(database, str(id))
    except sqlite3.Error as error:
        raise FormatError(f"{path}: {_meaning(error)} ({error})") from error


def _recording(database: sqlite3.Connection, session: str) -> Recording:
    """One session as the document of an export; damaged rows are counted and left out."""
    skipped = 0
    messages: dict[str, JsonObject] = {}
    damaged: set[str] = set()
    for id, data in database.execute(_MESSAGES, (session,)).fetchall():
        info = decode_object(data)
        if info is None:
            damaged.add(id)
        else:
            messages[id] = {"info": info | {"id": id, "sessionID": session}, "parts": []}
    for id, message, data in database.execute(_PARTS, (session,)).fetchall():
        part = decode_object(data)
        if part is not None and message in messages:
            messages[message]["parts"].append(part | {"id": id, "sessionID": session, "messageID": message})
        elif message not in damaged:
            skipped += 1
    document = {"info": {"id": session}, "messages": list(messages.values())}
    return Recording(session, document, (document,), skipped + len(damaged))


def _meaning(error: sqlite3.Error) -> str:
    """The reason of a failure, for the user who named the file."""
    # The low byte is the kind of error, the rest tells variants apart: sqlite.org/rescode.html
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "locked by another program, try again when that has finished"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return "damaged, or not an SQLite database"
        case sqlite3.SQLITE_ERROR:
            return "an SQLite database, but not one of OpenCode"
        case _:
            return "cannot be read"


def _stored_recording(path: Path, storage: Path) -> Recording:
    """A session of OpenCode as the document of an export."""
    info = read_object(path)
    session = text(info.get("id")) or path.stem
    messages: list[JsonObject] = []
    skipped = 0
    for file in _files(storage / "message" / session):
        message = read_object(file)
        parts = [read_object(part) for part in _files(storage / "part" / file.stem)]
        whole = [part for part in parts if part]
        skipped += len(parts) - len(whole) if message else 1
        if message:
            messages.append({"info": {"id": file.stem} | message, "parts": whole})
    messages.sort(key=lambda message: (_created(message["info"]), text(message["info"]["id"])))
    document = {"info": {"id": session} | info, "messages": messages}
    return Recording(session, document, (document,), skipped)


def _created(info: JsonObject) -> float:
    created = mapping(info.get("time")).get("created")
    return created if isinstance(created, (int, float)) else 0.0


def _files(folder: Path) -> list[Path]:
    """The JSON files of a folder in the order of their names, which for ids is that of time."""
    return sorted(folder.glob("*.json")) if folder.is_dir() else []
