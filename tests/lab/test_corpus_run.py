"""Runs over a corpus: shards, resuming after a kill, failures, and any executor."""

import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from prunus.corpus.source import Shard
from prunus.lab import corpus_run
from prunus.lab.corpus_report import CorpusReport
from prunus.lab.corpus_run import JournalError, RunJournal, run_corpus
from prunus.lab.run import Measured, Study, measure
from tests.corpus.samples import growing, jsonl
from tests.lab.talk import chat_messages, reads

STUDY = Study(("none", "balanced", "mask:3"), ("own", "0.1/1.25"), minimum=4)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Files and traces of many sessions, one of them unreadable and one too short."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for n in range(6):
        messages = chat_messages([*reads(5 + n), ("Edit", _EDIT, "ok")])
        (folder / f"s{n}.json").write_text(json.dumps({"model": "gpt-5.6", "messages": messages}))
    (folder / "short.json").write_text(json.dumps(chat_messages(reads(2))))
    (folder / "bad.json").write_text("no session")
    jsonl(folder / "traces.jsonl", [row for name in "abcdef" for row in growing(name, 5)])
    return folder


_EDIT = {"path": "/srv/app/part0.py", "old_string": "value_0_39 = 39", "new_string": "x"}


class Inline(Executor):
    """Does the work at once."""

    def submit(self, fn: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*given, **more))
        except Exception as error:
            future.set_exception(error)
        return future


def run(corpus: Path, out: Path, shard: Shard | None = None, **more: Any) -> CorpusReport:
    return run_corpus(
        [corpus], STUDY, out, shard=shard, executor=more.pop("executor", Inline()), quiet=True, **more
    )


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_recording_that_is_given_twice_counts_once(corpus: Path, tmp_path: Path) -> None:
    once = run_corpus([corpus / "s1.json"], STUDY, tmp_path / "once.jsonl", workers=1, quiet=True)
    given = [corpus / "s1.json", corpus / "s[1].json", corpus / "s1.json"]
    assert run_corpus(given, STUDY, tmp_path / "thrice.jsonl", workers=1, quiet=True) == once


def test_members_of_the_same_name_both_count(corpus: Path, tmp_path: Path) -> None:
    archive = tmp_path / "all.tar"
    with tarfile.open(archive, "w") as packed:
        for name in ("s1.json", "s2.json"):
            packed.add(corpus / name, "one.json")
    report = run_corpus([archive], STUDY, tmp_path / "rows.jsonl", workers=1, quiet=True)
    assert {one.conversations for one in report.summaries()} == {2}


def test_a_row_for_each_conversation_policy_and_price(corpus: Path, tmp_path: Path) -> None:
    report = run(corpus, tmp_path / "rows.jsonl")
    found = rows(tmp_path / "rows.jsonl")
    measured = [row for row in found if row["policy"]]
    assert len(measured) == 12 * 3 * 2
    assert len({(row["path"], row["session"], row["policy"], row["prices"]) for row in measured}) == len(measured)
    assert (report.failed, report.short) == (1, 1)
    assert [row["path"] for row in found if row["failure"]] == [str(corpus / "bad.json")]


def test_each_recording_is_in_one_shard(corpus: Path, tmp_path: Path) -> None:
    run(corpus, tmp_path / "whole.jsonl")
    parts = []
    for k in range(1, 5):
        run(corpus, tmp_path / f"{k}.jsonl", Shard(k, 4))
        parts += rows(tmp_path / f"{k}.jsonl")
    assert sorted(map(json.dumps, parts)) == sorted(map(json.dumps, rows(tmp_path / "whole.jsonl")))


def test_a_run_that_was_stopped_goes_on_and_measures_nothing_twice(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(corpus, tmp_path / "whole.jsonl")
    names: list[str] = []

    def stopping(source: Any, **more: Any) -> Measured:
        if len(names) == 5:
            raise KeyboardInterrupt
        names.append(source.name)
        return measure(source, **more)

    monkeypatch.setattr(corpus_run, "measure", stopping)
    out = tmp_path / "rows.jsonl"
    with pytest.raises(KeyboardInterrupt, match=r"rows\.jsonl\.part keeps 5 recordings"):
        run(corpus, out)
    # A kill in the middle of a line leaves a part of it.
    part = tmp_path / "rows.jsonl.part"
    part.write_bytes(part.read_bytes()[:-20])
    assert not out.exists()

    def noting(source: Any, **more: Any) -> Measured:
        names.append(source.name)
        return measure(source, **more)

    monkeypatch.setattr(corpus_run, "measure", noting)
    report = run(corpus, out)
    assert len(names) == len(set(names)) + 1, "only the recording of the cut line"
    assert sorted(map(json.dumps, rows(out))) == sorted(map(json.dumps, rows(tmp_path / "whole.jsonl")))
    assert report.failed == 1
    assert not part.exists()


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_a_complete_file_is_not_measured_again(corpus: Path, tmp_path: Path, name: str) -> None:
    if name == "rows.parquet":
        pytest.importorskip("duckdb", reason="needs prunus[fleet]")
    out = tmp_path / name
    first = run(corpus, out)
    before = out.stat()
    again = run(corpus, out, Shard(1, 2))
    assert (again.summaries(), again.failed, again.short) == (first.summaries(), first.failed, first.short)
    assert out.stat() == before


def test_other_options_do_not_go_on_with_the_rows_of_a_run(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl.part").write_text('{"policies":["none"]}\n')
    with pytest.raises(JournalError, match="begun with other options"):
        run(corpus, tmp_path / "rows.jsonl")


def test_a_killed_command_continues_where_it_was(corpus: Path, tmp_path: Path) -> None:
    """With kill -9, at any time."""
    out = tmp_path / "rows.jsonl"
    command = [sys.executable, "-m", "prunus", "replay", str(corpus), "--policy", "none", "--policy", "balanced"]
    command += ["--prices", "own", "--out", str(out)]
    part = tmp_path / "rows.jsonl.part"
    kept: list[bytes] = []
    with subprocess.Popen(
        [*command, "--workers", "1"], stderr=subprocess.DEVNULL, start_new_session=True
    ) as killed:
        while killed.poll() is None and (not part.exists() or part.read_bytes().count(b"\n") < 3):
            time.sleep(0.01)
        if killed.poll() is None:
            os.killpg(killed.pid, signal.SIGKILL)
            kept = [line for line in part.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert "13 conversations" in done.stdout
    found = out.read_text()
    assert all(msgspec_rows(line) in found for line in kept[1:])


def msgspec_rows(line: bytes) -> str:
    """The rows of a line of the journal as the file of rows has them."""
    import msgspec

    return "".join(msgspec.json.encode(row).decode() + "\n" for row in msgspec.json.decode(line)["rows"])


def test_any_executor_does_the_work(corpus: Path, tmp_path: Path) -> None:
    run(corpus, tmp_path / "inline.jsonl")
    with ThreadPoolExecutor(3) as pool:
        run(corpus, tmp_path / "threads.jsonl", executor=pool)
    run(corpus, tmp_path / "processes.jsonl", executor=None, workers=2)
    found = [sorted((tmp_path / f"{n}.jsonl").read_text().splitlines()) for n in ("inline", "threads", "processes")]
    assert found[0] == found[1] == found[2]


def test_an_executor_that_fails_once_loses_one_recording(corpus: Path, tmp_path: Path) -> None:
    class Failing(Inline):
        def submit(self, fn: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
            if given[0].path.name == "s3.json":
                future: Future[Any] = Future()
                future.set_exception(RuntimeError("node lost"))
                return future
            return super().submit(fn, *given, **more)

    told: list[str] = []
    report = run(corpus, tmp_path / "rows.jsonl", executor=Failing(), told=told.append)
    assert report.failed == 2
    assert f"{corpus / 's3.json'}: RuntimeError: node lost" in told


@pytest.mark.parametrize("error", [BrokenProcessPool("a worker was killed"), CancelledError()])
def test_after_an_executor_broke_a_new_one_measures_what_was_lost(
    corpus: Path, tmp_path: Path, error: Exception
) -> None:
    class Breaking(Inline):
        def submit(self, fn: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
            if given[0].path.name < "s3.json":
                return super().submit(fn, *given, **more)
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    run(corpus, tmp_path / "whole.jsonl")
    with pytest.raises(type(error)):
        run(corpus, tmp_path / "rows.jsonl", executor=Breaking())
    assert not (tmp_path / "rows.jsonl").exists()
    run(corpus, tmp_path / "rows.jsonl")
    found = [sorted((tmp_path / name).read_text().splitlines()) for name in ("rows.jsonl", "whole.jsonl")]
    assert found[0] == found[1]


def dying(source: Any, *, study: Study) -> Measured:
    if source.path.name == "s3.json":
        os.kill(os.getpid(), signal.SIGKILL)
    return measure(source, study=study)


def test_a_recording_that_ends_its_process_is_left_out_alone(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_run, "measure", dying)
    report = run(corpus, tmp_path / "rows.jsonl", executor=None, workers=1)
    assert report.failed == 2
    failures = [row["failure"] for row in rows(tmp_path / "rows.jsonl") if row["failure"]]
    assert f"{corpus / 's3.json'}: its process died, perhaps for lack of memory" in failures
    assert len({row["path"] for row in rows(tmp_path / "rows.jsonl") if row["policy"]}) == 11


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other locks")
def test_two_runs_do_not_write_one_journal(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from prunus.lab.corpus_run import RunJournal\n"
    code += f"with RunJournal(Path({str(tmp_path / 'rows.jsonl')!r}), {{}}): print(flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as other:
        assert other.stdout is not None and other.stdout.readline()
        with pytest.raises(JournalError, match="another run writes"):
            RunJournal(tmp_path / "rows.jsonl", {})
        other.communicate()
    with RunJournal(tmp_path / "rows.jsonl", {}) as journal:
        assert journal.recordings == 0
