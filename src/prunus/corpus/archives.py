"""Tar and zip archives, read member by member into memory; nothing is unpacked to disk.

An archive may come from anywhere. The name of a member is only a label, links and devices are left out, an archive
inside an archive is not opened, and a member that unpacks to more than the largest recording is not read.
"""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final

from prunus.clients.recorded_file import DAMAGED, LARGEST, MAGIC, opened
from prunus.corpus.source import Source, Wanted, name_of

_TAR: Final = (".tar", ".tgz", ".tzst", ".txz", ".tbz2", ".tar.gz", ".tar.zst", ".tar.xz", ".tar.bz2")
_PACKED: Final = frozenset({".gz", ".zst", ".xz", ".bz2"})
_RECORDED: Final = frozenset({".json", ".jsonl", ".ndjson", ".traj"})
_TOO_LARGE: Final = "unpacks to more than {:,} bytes"
_DAMAGED: Final = (*DAMAGED, tarfile.TarError, zipfile.BadZipFile, zlib.error, RuntimeError, UnicodeDecodeError)
"""What damaged archives raise; RuntimeError also stands for a member with a password, or an unknown packing."""


def is_archive(path: Path) -> bool:
    """Whether a file is an archive, by its name."""
    return path.name.lower().endswith((".zip", *_TAR))


def looks_recorded(name: str) -> bool:
    """Whether a file may hold recorded sessions, by its name; it may be packed."""
    path = PurePosixPath(name.lower())
    suffix = path.with_suffix("").suffix if path.suffix in _PACKED else path.suffix
    return suffix in _RECORDED and PurePosixPath(name).name != "MANIFEST.json"


def members(path: Path, wanted: Wanted, largest: int = LARGEST) -> Iterator[Source]:
    """Yield the recordings of an archive. A damaged archive ends with a source that says so."""
    read = _zip_members if path.name.lower().endswith(".zip") else _tar_members
    try:
        yield from read(path, wanted, largest)
    except _DAMAGED as error:
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else f"damaged: {error}"
        if wanted(name := name_of(path)):
            yield Source(name, path, problem=reason)


def _zip_members(path: Path, wanted: Wanted, largest: int) -> Iterator[Source]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name = name_of(path, f"!{member.filename}")
            if member.is_dir() or not looks_recorded(member.filename) or not wanted(name):
                continue
            try:
                with archive.open(member) as file:
                    data = file.read(largest + 1)
            except _DAMAGED as error:
                yield Source(name, path, size=member.compress_size, problem=f"damaged: {error}")
                continue
            yield _source(name, path, data, member.compress_size, largest)


def _tar_members(path: Path, wanted: Wanted, largest: int) -> Iterator[Source]:
    with path.open("rb") as packed:
        first = packed.read(MAGIC)
        packed.seek(0)
        file = opened(packed, first)
        with tarfile.open(fileobj=file, mode="r|") as archive:
            before = 0
            while (member := archive.next()) is not None:
                vars(archive)["members"].clear()  # tarfile would remember all of them
                size, before = packed.tell() - before, packed.tell()
                name = name_of(path, f"!{member.name}")
                if member.isreg() and member.size > largest:
                    if wanted(name):
                        yield Source(name, path, size=size, problem=_TOO_LARGE.format(largest))
                    if file is not packed:
                        if wanted(name := name_of(path)):
                            yield Source(name, path, problem="a member is too large, and the rest was not read")
                        return
                elif member.isreg() and looks_recorded(member.name) and wanted(name):
                    yield _source(name, path, _content(archive, member), size, largest)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    content: IO[bytes] | None = archive.extractfile(member)
    return b"" if content is None else content.read()


def _source(name: str, path: Path, data: bytes, size: int, largest: int) -> Source:
    if len(data) > largest:
        return Source(name, path, size=size, problem=_TOO_LARGE.format(largest))
    return Source(name, path, data, size, PurePosixPath(name.removeprefix(name_of(path, "!"))).name)
