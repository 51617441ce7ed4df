"""Recordings whose names are not UTF-8, as in archives and folders of older systems."""

import io
import json
import os
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import Result

from prunus.corpus.source import Source
from prunus.lab import corpus_run
from prunus.lab.corpus_run import run_corpus
from prunus.lab.run import Measured, Study, measure
from tests.lab.talk import chat_messages, reads

Run = Callable[..., Result]
ASKED = ("--workers", "1", "--policy", "none", "--prices", "0.1/1.25")
SAID = json.dumps({"model": "gpt-5.6", "messages": chat_messages(reads(5))}).encode()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT, encoding="latin-1") as members:
        for name in ("schön.json", "plain.json"):
            info = tarfile.TarInfo(name)
            info.size = len(SAID)
            members.addfile(info, io.BytesIO(SAID))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / os.fsdecode(b"\xff")
    try:
        path.mkdir()
        for name, content in ((b"sch\xf6n.json", SAID), (b"b\xf6s.json", b"no session")):
            (path / os.fsdecode(name)).write_bytes(content)
    except OSError:
        pytest.skip("this file system wants names in UTF-8")
    return path


def test_a_member_with_such_a_name_is_measured(run: Run, archive: Path, tmp_path: Path) -> None:
    for asked in (("--out", str(tmp_path / "rows.jsonl")), ("--json", str(tmp_path / "rows.json"))):
        result = run("replay", str(archive), *ASKED, *asked)
        assert result.exit_code == 0, result.output
        rows = list(map(json.loads, Path(asked[1]).read_text("utf-8").splitlines()))
        assert rows[0]["session"] == r"sch\udcf6n"
    rows = list(map(json.loads, (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()))
    assert [row["path"] for row in rows] == [rf"{archive}!sch\udcf6n.json", f"{archive}!plain.json"]


def test_a_file_with_such_a_name_is_measured_and_a_broken_one_is_named(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    for command in ("replay", "analyze"):
        out = tmp_path / f"{command}.jsonl"
        result = run(command, str(folder), *(ASKED if command == "replay" else ()), "--out", str(out))
        assert result.exit_code == 0, result.output
        assert "1 conversation, 6 requests; 1 recording failed" in result.stdout
        failures = [row["failure"] for row in map(json.loads, out.read_text("utf-8").splitlines())]
        assert any(one.startswith(rf"{tmp_path}/\udcff/b\udcf6s.json: neither") for one in failures)
    assert run("analyze", str(folder), "--json", str(tmp_path / "lines")).exit_code == 0


def test_a_run_over_such_names_goes_on(archive: Path, tmp_path: Path) -> None:
    study = Study(("none",), ("0.1/1.25",))
    out = tmp_path / "rows.jsonl"

    def stop(source: Source, **_: object) -> Measured:
        if source.name.endswith("plain.json"):
            time.sleep(0.5)  # until the first member is in the journal
            raise KeyboardInterrupt
        return measure(source, study=study)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as executor:
        patch.setattr(corpus_run, "measure", stop)
        with pytest.raises(KeyboardInterrupt, match="keeps 1 recording"):
            run_corpus([archive], study, out, executor=executor, quiet=True)
    measured: list[str] = []

    def note(source: Source, **_: object) -> Measured:
        measured.append(source.name)
        return measure(source, study=study)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as executor:
        patch.setattr(corpus_run, "measure", note)
        run_corpus([archive], study, out, executor=executor, quiet=True)
    assert measured == [f"{archive}!plain.json"]


def test_a_table_with_such_a_name_is_reported(run: Run, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs prunus[fleet]")
    (folder / os.fsdecode(b"\xf6.parquet")).write_bytes(b"PAR1")
    result = run("replay", str(folder), *ASKED, "--out", str(tmp_path / "rows.jsonl"))
    assert result.exit_code == 0, result.output
    assert "2 recordings failed" in result.stdout
