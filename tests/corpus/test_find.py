from pathlib import Path

import pytest

from prunus.corpus.find import files
from tests.corpus.samples import conversation, every


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
