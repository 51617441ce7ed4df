import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.samples import every, growing, jsonl, requests
from tests.lab.talk import chat_messages, reads

duckdb = pytest.importorskip("duckdb", reason="needs prunus[fleet]")


def parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    lines = jsonl(path.with_suffix(".jsonl"), rows)
    duckdb.sql(f"COPY (SELECT * FROM read_json('{lines}', maximum_depth=8)) TO '{path}' (FORMAT parquet)")
    lines.unlink()
    return path


def test_rows_of_a_session_are_the_requests_of_one_conversation(tmp_path: Path) -> None:
    mixed = [row for pair in zip(growing("a"), growing("b"), strict=False) for row in pair]
    found = every(parquet(tmp_path / "t.parquet", mixed))
    assert [one.name for one in found] == [f"{tmp_path / 't.parquet'}#a", f"{tmp_path / 't.parquet'}#b"]
    assert [one.name for one in every(parquet(tmp_path / "u.parquet", growing("a") + growing("b")))] == [
        f"{tmp_path / 'u.parquet'}#a",
        f"{tmp_path / 'u.parquet'}#b",
    ]
    assert [requests(one) for one in found] == [[5], [5]]
    [session] = found[0].sessions()
    assert (session.name, session.model, session.times[0]) == ("t#a", "gpt-5.6", 1_002.0)


def test_a_row_with_a_whole_conversation_shows_all_its_requests(tmp_path: Path) -> None:
    rows = [{"id": n, "messages": chat_messages(reads(n + 2))} for n in range(3)]
    assert [requests(one) for one in every(parquet(tmp_path / "t.parquet", rows))] == [[3], [4], [5]]


@pytest.mark.parametrize("column", ["messages", "body", "request", "what_we_sent"])
@pytest.mark.parametrize("as_text", [False, True])
def test_the_column_is_found_by_its_content(tmp_path: Path, column: str, as_text: bool) -> None:
    messages: Any = chat_messages(reads(5))
    held: Any = messages if column == "messages" else {"model": "gpt-5.6", "messages": messages}
    rows = [{"id": 1, "note": "a note", column: json.dumps(held) if as_text else held}]
    [source] = every(parquet(tmp_path / "t.parquet", rows))
    [session] = source.sessions()
    # A request was sent to its end; a list of messages may have ended there.
    assert len(session.requests) == (5 if column == "messages" and as_text else 6)
    assert session.model == ("" if column == "messages" else "gpt-5.6")


def test_fields_that_other_rows_have_do_not_appear_as_null(tmp_path: Path) -> None:
    rows = [
        {"messages": [{"role": "user", "content": "Hi", "name": "ann"}, {"role": "assistant", "content": "Hello"}]},
        {"messages": chat_messages(reads(2))},
    ]
    sessions = [session for one in every(parquet(tmp_path / "t.parquet", rows)) for session in one.sessions()]
    assert all(None not in message.values() for message in sessions[0].messages)
    assert "tool_calls" not in sessions[0].messages[0]


@pytest.mark.parametrize("kind", ["TIMESTAMPTZ", "TIMESTAMPTZ_NS"])
def test_times_with_a_zone_are_read(tmp_path: Path, kind: str) -> None:
    path = parquet(tmp_path / "t.parquet", growing("a"))
    at = f"to_timestamp(created_at)::{kind}"
    zoned = f"* REPLACE ({at} AS created_at), {{'at': [{at}]}} AS more"
    duckdb.sql(f"COPY (SELECT {zoned} FROM read_parquet('{path}')) TO '{tmp_path}/zoned.parquet'")
    [source] = every(tmp_path / "zoned.parquet")
    [session] = source.sessions()
    assert session.times == (1_002.0, 1_004.0, 1_006.0, 1_008.0, 1_010.0)


@pytest.mark.parametrize("kind", ["DOUBLE", "DECIMAL(18, 3)", "HUGEINT", "UUID"])
def test_a_session_may_have_a_name_of_any_type(tmp_path: Path, kind: str) -> None:
    path = parquet(tmp_path / "t.parquet", growing("a"))
    name = "gen_random_uuid()" if kind == "UUID" else f"{10**30 if kind == 'HUGEINT' else 7}::{kind}"
    named = f"* REPLACE ((SELECT {name}) AS session_id)"
    duckdb.sql(f"COPY (SELECT {named} FROM read_parquet('{path}')) TO '{tmp_path}/named.parquet'")
    assert [requests(one) for one in every(tmp_path / "named.parquet")] == [[5]]


@pytest.mark.parametrize("as_text", [False, True])
def test_a_column_of_messages_names_no_session(tmp_path: Path, as_text: bool) -> None:
    said = [chat_messages(reads(n)) for n in (2, 3)]
    rows = [{"conversation": json.dumps(messages) if as_text else messages, "turn": 1} for messages in said]
    for found in (every(parquet(tmp_path / "t.parquet", rows)), every(jsonl(tmp_path / "t.jsonl", rows))):
        assert sorted(map(requests, found)) == [[2], [3]]
        assert all("user" not in one.name and "user" not in one.title for one in found)


@pytest.mark.parametrize("nothing", [None, "", {"of": "nobody"}])
def test_rows_without_one_name_of_their_session_may_have_another(tmp_path: Path, nothing: Any) -> None:
    rows = [{"trace_id": f"t{n % 2}", **row, "session_id": nothing} for n in range(2) for row in growing("")]
    assert [one.name[-3:] for one in every(parquet(tmp_path / "t.parquet", rows))] == ["#t0", "#t1"]
    for found in (every(tmp_path / "t.parquet"), every(jsonl(tmp_path / "t.jsonl", rows))):
        assert [requests(one) for one in found] == [[5], [5]]


def test_text_may_be_kept_as_bytes(tmp_path: Path) -> None:
    rows = [{"session_id": row["session_id"], "body": json.dumps(row)} for row in growing("a") + growing("b")]
    path = parquet(tmp_path / "t.parquet", rows)
    as_bytes = "encode(session_id) AS session_id, encode(body) AS body, '\\xFF'::BLOB AS checksum"
    duckdb.sql(f"COPY (SELECT {as_bytes} FROM read_parquet('{path}')) TO '{tmp_path}/bytes.parquet'")
    found = every(tmp_path / "bytes.parquet")
    assert [(one.name[-2:], requests(one)) for one in found] == [("#a", [5]), ("#b", [5])]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize("name", ["a[1].parquet", "a*.parquet", "a?.parquet"])
def test_a_file_name_that_looks_like_a_pattern_means_its_file(tmp_path: Path, name: str) -> None:
    parquet(tmp_path / "a1.parquet", growing("a"))
    parquet(tmp_path / "b.parquet", growing("b")).rename(tmp_path / name)
    assert [one.name for one in every(tmp_path / name)] == [f"{tmp_path / name}#b"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no files")
def test_a_full_folder_of_temporary_files_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    names = random.Random(7)
    mixed = [row for n in range(3) for row in growing(f"{n}")]
    rows = [{**row, "note": names.randbytes(60_000).hex()} for _ in range(2) for row in mixed]
    path = parquet(tmp_path / "t.parquet", rows)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(OSError) as raised:
            every(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert raised.value.filename == str(tmp_path)


def test_a_damaged_table_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 nothing else")
    [source] = every(path)
    assert source.problem.startswith("cannot be read: ")


def test_without_duckdb_a_table_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1")
    [source] = every(path)
    assert source.problem.endswith("pip install 'prunus[fleet]'")
