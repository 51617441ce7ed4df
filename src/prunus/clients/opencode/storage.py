"""Where OpenCode keeps its sessions: in `opencode.db`, an SQLite database, and before that in small files.

Rows hold what `opencode export` prints, without the ids: those are columns. So
each session becomes the document of an export, and the loader of exports reads it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from prunus.clients.recorded_file import JsonObject, Recording, mapping, read_object, text
from prunus.errors import FormatError

_MAGIC = b"SQLite format 3\x00"

_SESSIONS = "SELECT id FROM session ORDER BY time_created, id"
# As bytes, because SQLite refuses to hand out text that is not UTF-8.
_MESSAGES = "SELECT id, CAST(data AS BLOB) FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT id, message_id, CAST(data AS BLOB) FROM part WHERE session_id = ? ORDER BY id"


def is_database(path: Path) -> bool:
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
        info = _decode(data)
        if info is None:
            damaged.add(id)
        else:
            messages[id] = {"info": info | {"id": id, "sessionID": session}, "parts": []}
    for id, message, data in database.execute(_PARTS, (session,)).fetchall():
        part = _decode(data)
        if part is not None and message in messages:
            messages[message]["parts"].append(part | {"id": id, "sessionID": session, "messageID": message})
        elif message not in damaged:
            skipped += 1
    document = {"info": {"id": session}, "messages": list(messages.values())}
    return Recording(session, document, (document,), skipped + len(damaged))


def _decode(data: Any) -> JsonObject | None:
    """The object in a column, None if there is none."""
    try:
        value = msgspec.json.decode(data) if isinstance(data, bytes) else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return value if isinstance(value, dict) else None


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


def stored_recording(path: Path, storage: Path) -> Recording:
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
