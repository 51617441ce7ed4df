import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import zstandard

from prunus.corpus.archives import members
from prunus.errors import FormatError
from prunus.lab.run import Study, measure
from tests.corpus.samples import conversation, every, requests

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "a.tar": bytes,
    "a.tar.gz": gzip.compress,
    "a.tgz": gzip.compress,
    "a.tar.zst": zstandard.compress,
    "a.tar.xz": lzma.compress,
    "a.tar.bz2": bz2.compress,
}


def tar(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


FILES = {"one.json": conversation(), "deep/two.json.gz": gzip.compress(conversation(6)), "README.md": b"no session"}


@pytest.mark.parametrize("name", PACKERS)
def test_the_members_of_a_tar_archive_are_sources(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(PACKERS[name](tar(FILES)))
    found = every(path)
    assert [one.name for one in found] == [f"{path}!one.json", f"{path}!deep/two.json.gz"]
    assert [requests(one) for one in found] == [[4], [6]]
    assert [session.name for one in found for session in one.sessions()] == ["one", "two"]


def test_the_members_of_a_zip_archive_are_sources(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", FILES)
    assert [(one.name.partition("!")[2], requests(one)) for one in every(path)] == [
        ("one.json", [4]),
        ("deep/two.json.gz", [6]),
    ]


def test_unwanted_members_are_not_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", FILES)
    assert [one.name for one in members(path, lambda name: "two" in name)] == [f"{path}!deep/two.json.gz"]


def test_an_archive_is_measured_like_its_files(tmp_path: Path) -> None:
    study = Study(("none",), ("0.1/1.25",), minimum=1)
    found = measure(zipped(tmp_path / "a.zip", {**FILES, "bad.json": b"nothing"}), study=study)
    assert [(row.session, row.requests) for row in found.rows] == [("one", 4), ("two", 6)]
    assert found.failure.startswith(f"{tmp_path / 'a.zip'}!bad.json: neither a request nor")


@pytest.mark.parametrize("packed", [False, True])
def test_a_tar_member_that_is_too_large_is_not_read(tmp_path: Path, packed: bool) -> None:
    data = tar({"bomb.json": b" " * 5_000, "one.json": conversation(1)})
    path = tmp_path / "a.tar"
    path.write_bytes(gzip.compress(data) if packed else data)
    found = list(members(path, lambda _: True, largest=4_000))
    assert found[0].problem == "unpacks to more than 4,000 bytes"
    # Skipping a member of a packed archive means unpacking it.
    assert [one.problem for one in found[1:]] == (
        ["a member is too large, and the rest was not read"] if packed else [""]
    )


def test_a_zip_member_that_is_larger_than_it_says_is_not_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"bomb.json": b" " * 50_000, "one.json": conversation(1)})
    bomb, one = members(path, lambda _: True, largest=4_000)
    assert bomb.problem == "unpacks to more than 4,000 bytes"
    assert requests(one) == [1]


def test_a_compressed_member_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [source] = every(zipped(tmp_path / "a.zip", {"bomb.json.gz": gzip.compress(b" " * 2_000_000)}))
    monkeypatch.setattr("prunus.clients.recorded_file.unpack.__defaults__", (1_000_000,))
    with pytest.raises(FormatError, match=r"bomb\.json\.gz: unpacks to more than 1,000,000 bytes"):
        list(source.sessions())


def test_paths_of_members_are_only_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    out = io.BytesIO(tar({"../../up.json": conversation(), "/etc/root.json": conversation()}))
    with tarfile.open(fileobj=out, mode="a") as archive:
        for name, kind in (
            ("link.json", tarfile.SYMTYPE),
            ("hard.json", tarfile.LNKTYPE),
            ("d.json", tarfile.FIFOTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    path.write_bytes(out.getvalue())
    before = sorted(tmp_path.rglob("*"))
    assert [requests(one) for one in every(path)] == [[4], [4]]
    assert sorted(tmp_path.rglob("*")) == before


def test_an_archive_in_an_archive_is_not_opened(tmp_path: Path) -> None:
    assert every(zipped(tmp_path / "a.zip", {"inner.tar": tar(FILES), "inner.tar.gz": b"x"})) == []


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tar.zst", "a.tar.xz"])
@pytest.mark.parametrize("cut", [0, 100, 700])
def test_a_damaged_archive_says_so_and_keeps_what_came_before(tmp_path: Path, name: str, cut: int) -> None:
    path = tmp_path / name
    if name == "a.zip":
        zipped(path, FILES)
    else:
        path.write_bytes(PACKERS[name](tar(FILES)))
    path.write_bytes(path.read_bytes()[:cut])
    found = every(path)
    assert found[-1].problem.startswith("damaged: ")


def test_the_whole_of_a_damaged_archive_is_never_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar(FILES)[:700])
    [source] = every(path)
    with pytest.raises(FormatError, match="damaged: "):
        source.content()


def test_a_member_with_a_wrong_checksum_is_reported_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("one.json", conversation())
        archive.writestr("two.json", conversation(6))
    path.write_bytes(path.read_bytes().replace(b"Please see", b"Please lie", 1))
    one, two = every(path)
    assert one.problem.startswith("damaged: Bad CRC-32")
    assert requests(two) == [6]


@pytest.mark.parametrize(("place", "readable"), [("before the member", 1), ("list at the end", 0)])
def test_a_zip_archive_with_a_name_that_is_no_utf_8_is_damaged(tmp_path: Path, place: str, readable: int) -> None:
    path = zipped(tmp_path / "a.zip", {"ä.json": conversation(), "two.json": conversation(6)})
    before, between, after = path.read_bytes().split("ä".encode())
    names = ["ä".encode(), b"\xff\xff"] if place == "list at the end" else [b"\xff\xff", "ä".encode()]
    path.write_bytes(before + names[0] + between + names[1] + after)
    first, *others = every(path)
    assert first.problem.startswith("damaged: 'utf-8' codec")
    assert len(others) == readable
