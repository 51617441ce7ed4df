import io
import os
import sys
import tarfile
from pathlib import Path

import pytest

from prunus.corpus.archives import members
from prunus.corpus.find import files, parts, sources
from prunus.corpus.source import Shard
from tests.corpus.samples import conversation, every, growing, jsonl


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "b.json",
        "a.jsonl",
        "deep/c.json.zst",
        "deep/d.txt",
        "e.parquet",
        "f.tar.gz",
        "g.db",
        "MANIFEST.json",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(conversation())
    return tmp_path


def test_a_folder_gives_what_looks_recorded_in_the_order_of_names(folder: Path) -> None:
    found = [path.relative_to(folder).as_posix() for path in files([folder])]
    assert found == ["a.jsonl", "b.json", "e.parquet", "f.tar.gz", "g.db", "deep/c.json.zst"]


@pytest.mark.parametrize("name", ["A.JSON", "A.Jsonl.GZ", "A.TRAJ", "A.DB", "A.GZ", "A.ZIP", "A.PARQUET"])
def test_a_folder_gives_recordings_in_capitals_too(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(conversation())
    assert list(files([tmp_path])) == [tmp_path / name]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("*.json", ["MANIFEST.json", "b.json"]), ("**/*.zst", ["deep/c.json.zst"]), ("d*", ["deep/c.json.zst"])],
)
def test_patterns_give_files_and_folders(folder: Path, pattern: str, found: list[str]) -> None:
    assert [path.relative_to(folder).as_posix() for path in files([folder / pattern])] == found


def test_a_pattern_may_be_relative(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert list(files([Path("*.jsonl")])) == [Path("a.jsonl")]


def test_the_order_of_files_is_that_of_the_paths_and_each_comes_once(folder: Path) -> None:
    found = list(files([folder / "b.json", folder, folder / "gone.json"]))
    assert (found[0], found[-1], len(found)) == (folder / "b.json", folder / "gone.json", 7)


def test_a_missing_file_is_a_source_that_cannot_be_read(tmp_path: Path) -> None:
    for name in ("gone.json", "gone.jsonl"):
        [source] = every(tmp_path / name)
        with pytest.raises(FileNotFoundError):
            list(source.sessions())


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.tar", "a.zip", "a.parquet"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    for found in (every(tmp_path / name), list(parts(tmp_path / name))):
        assert [one.problem.partition(",")[0] for one in found] == ["is a pipe"]


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.parquet"])
def test_a_damaged_archive_or_table_is_in_one_shard(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"PAR1 damaged")
    found = [one for k in (1, 2, 3) for one in sources([path], Shard(k, 3).holds)]
    assert [bool(one.problem) for one in found] == [True]
    assert list(sources([path], lambda name: name != str(path))) == [], "an earlier run has reported it"


def test_traces_in_capitals_are_divided_into_sessions(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "T.JSONL", growing("a") + growing("b"))
    assert len(every(path)) == 2


def test_a_member_that_is_too_large_is_in_one_shard(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("large.json")
        info.size = 4_000
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    found = [one.name for k in (1, 2, 3) for one in members(path, Shard(k, 3).holds, largest=3_000)]
    assert sorted(found) == [str(path), f"{path}!large.json"]
