"""A database gives what an export of each of its sessions would give."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from prunus.clients.opencode.sessions import database_recordings
from prunus.clients.sessions import load, stream
from prunus.errors import FormatError

SCHEMA = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT, time_created INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
"""
START = 1767225600000

Database = sqlite3.Connection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my sessions" / "opencode.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        opened.executescript(SCHEMA)
        yield opened


def add_session(database: Database, id: str, created: int = 0) -> None:
    database.execute("INSERT INTO session VALUES (?, NULL, 'A title', ?)", (id, START + created))


def add_message(database: Database, session: str, id: str, role: str, at: int, *parts: Any, **info: Any) -> None:
    model = {"modelID": "m"} if role == "assistant" else {}
    data = {"role": role, "time": {"created": START + at * 1000}} | model | info
    values = (id, session, START + at * 1000, START, json.dumps(data))
    database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", values)
    for number, part in enumerate(parts):
        add_part(database, session, id, f"prt_{id}_{number}", part)


def add_part(database: Database, session: str, message: str, id: str, part: Any) -> None:
    data = part if isinstance(part, str | bytes) else json.dumps(part)
    database.execute("INSERT INTO part VALUES (?, ?, ?, ?, CAST(? AS TEXT))", (id, message, session, START, data))


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def ran(output: str) -> dict[str, Any]:
    state = {"status": "completed", "input": {"command": "ls"}, "output": output}
    return {"type": "tool", "tool": "bash", "callID": "c", "state": state}


def add_talk(database: Database, session: str, created: int = 0) -> None:
    add_session(database, session, created)
    add_message(database, session, f"{session}_1", "user", 1, said("Go"))
    add_message(database, session, f"{session}_2", "assistant", 2, said("I look"), ran("a.py"))
    add_message(database, session, f"{session}_3", "assistant", 3, said("Done"))


def ids(session: Any) -> list[str]:
    return [message["info"]["id"] for message in session.messages]


def test_a_session_in_the_database_equals_its_export(database: Database, path: Path, tmp_path: Path) -> None:
    add_talk(database, "ses_a")

    def exported(id: str, role: str, at: int, *parts: dict[str, Any], **model: str) -> dict[str, Any]:
        info = {"role": role, "time": {"created": START + at * 1000}, "id": id, "sessionID": "ses_a"} | model
        placed = [
            part | {"id": f"prt_{id}_{number}", "sessionID": "ses_a", "messageID": id}
            for number, part in enumerate(parts)
        ]
        return {"info": info, "parts": placed}

    export = tmp_path / "ses_a.json"
    messages = [
        exported("ses_a_1", "user", 1, said("Go")),
        exported("ses_a_2", "assistant", 2, said("I look"), ran("a.py"), modelID="m"),
        exported("ses_a_3", "assistant", 3, said("Done"), modelID="m"),
    ]
    export.write_text(json.dumps({"info": {"id": "ses_a"}, "messages": messages}))
    assert load(path) == load(export)
    assert load(path)[0].requests == (1, 2)


def test_each_session_has_its_own_messages_and_the_oldest_comes_first(database: Database, path: Path) -> None:
    add_talk(database, "ses_late", created=9)
    add_talk(database, "ses_early", created=1)
    early, late = load(path)
    assert (early.name, late.name) == ("ses_early", "ses_late")
    assert ids(late) == ["ses_late_1", "ses_late_2", "ses_late_3"]


def test_messages_follow_their_time_and_parts_their_id(database: Database, path: Path) -> None:
    add_session(database, "s")
    add_message(database, "s", "b", "assistant", 2)
    add_message(database, "s", "a", "user", 3, said("Again"))
    add_message(database, "s", "c", "user", 1, said("Go"))
    add_message(database, "s", "d", "assistant", 4, said("Done"))
    add_part(database, "s", "b", "prt_2", said("second"))
    add_part(database, "s", "b", "prt_1", said("first"))
    (session,) = load(path)
    assert ids(session) == ["c", "b", "a", "d"]
    assert [part["text"] for part in session.messages[1]["parts"]] == ["first", "second"]


def test_a_compaction_gives_a_second_session_of_that_name(database: Database, path: Path) -> None:
    add_talk(database, "s")
    add_message(database, "s", "s_4", "user", 4, {"type": "compaction"})
    add_message(database, "s", "s_5", "assistant", 5, said("Summary"), summary=True)
    add_message(database, "s", "s_6", "user", 6, said("Go on"))
    add_message(database, "s", "s_7", "assistant", 7, said("Done"))
    add_talk(database, "t", created=1)
    assert [session.name for session in load(path)] == ["s", "s#2", "t"]


def test_damaged_rows_are_skipped_and_counted(database: Database, path: Path) -> None:
    add_talk(database, "s")
    add_part(database, "s", "s_2", "prt_cut", '{"type": "text", "te')
    add_part(database, "s", "s_2", "prt_bytes", b'{"type": "text", "text": "\xff"}')
    add_part(database, "s", "gone", "prt_lost", said("of a message that is gone"))
    database.execute("INSERT INTO message VALUES ('s_bad', 's', 0, 0, 'no json')")
    add_part(database, "s", "s_bad", "prt_bad", said("not counted apart from its message"))
    (session,) = load(path)
    assert ids(session) == ["s_1", "s_2", "s_3"]
    assert [part["id"] for part in session.messages[1]["parts"]] == ["prt_s_2_0", "prt_s_2_1"]
    assert session.skipped == 4


def test_sessions_without_a_request_are_left_out(database: Database, path: Path) -> None:
    add_session(database, "empty")
    add_session(database, "unanswered")
    add_message(database, "unanswered", "u", "user", 1, said("Go"))
    assert load(path) == ()


def test_rows_that_opencode_has_just_written_are_read_while_the_database_is_open(
    database: Database, path: Path
) -> None:
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA wal_autocheckpoint = 0")
    add_talk(database, "s")
    assert [session.name for session in load(path)] == ["s"]


def test_opencode_can_write_between_two_sessions(database: Database, path: Path) -> None:
    add_talk(database, "a")
    add_talk(database, "b", created=1)
    sessions = stream(path)
    assert next(sessions).name == "a"
    database.execute("PRAGMA busy_timeout = 0")
    add_message(database, "b", "b_4", "user", 4, said("More"))
    assert ids(next(sessions))[-1] == "b_4"


def test_reading_leaves_the_database_as_it_was(database: Database, path: Path) -> None:
    database.execute("PRAGMA journal_mode = WAL")
    add_talk(database, "s")
    database.close()
    before = path.read_bytes()
    assert len(load(path)) == 1
    assert path.read_bytes() == before


def test_a_database_is_known_by_its_content_whatever_its_name(database: Database, path: Path) -> None:
    add_talk(database, "s")
    database.close()
    assert len(load(path.rename(path.with_name("backup of #1 100%?")))) == 1


def test_a_locked_database_is_refused(database: Database, path: Path) -> None:
    add_talk(database, "s")
    database.execute("BEGIN EXCLUSIVE")
    with pytest.raises(FormatError, match=r"opencode\.db: locked by another program"):
        list(database_recordings(path, patience=0.01))


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\x00 and nothing else" * 40])
def test_a_file_that_only_looks_like_a_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"opencode\.db: damaged, or not an SQLite database"):
        load(path)


def test_a_database_with_overwritten_pages_is_refused(database: Database, path: Path) -> None:
    for number in range(40):
        add_talk(database, f"s{number}")
    database.close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(FormatError, match=r"opencode\.db: damaged"):
        load(path)


@pytest.mark.parametrize("schema", ["", "CREATE TABLE notes (id TEXT)", "CREATE TABLE session (id TEXT)"])
def test_the_database_of_another_program_is_refused(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "notes.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(schema)
    path.touch()
    with pytest.raises(FormatError, match=r"notes\.db: an SQLite database, but not one of OpenCode"):
        load(path)


def test_a_missing_database_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "opencode.db")
