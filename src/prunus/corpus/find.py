"""The recordings in files, folders, archives and tables, one after another."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISCHR, S_ISDIR, S_ISFIFO, S_ISREG, S_ISSOCK
from typing import Final

from prunus.corpus.archives import is_archive, looks_recorded, members
from prunus.corpus.lines import line_sources
from prunus.corpus.source import Source, Wanted, name_of
from prunus.corpus.tables import is_table, table_sources

_WILD: Final = frozenset("*?[")


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the given files, those that match a pattern, and what looks like a recording in the given folders.

    A file that several of the paths lead to comes once.
    """
    met: set[str] = set()
    for path in paths:
        matching = [path]
        if _status(path) is None and _WILD.intersection(str(path)):
            matching = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
        for file in (file for found in matching for file in _inside(found)):
            if str(file) not in met:
                met.add(str(file))
                yield file


def parts(path: Path, wanted: Wanted = lambda name: True) -> Iterator[Source]:
    """Yield the recordings of one file: the members of an archive, the sessions of a table, or the file itself."""
    if _is_stream(path):
        if wanted(name := name_of(path)):
            yield Source(name, path, problem="is a pipe, a socket or a device; save it as a file first")
    elif is_archive(path):
        yield from members(path, wanted)
    elif is_table(path):
        yield from table_sources(path, wanted)
    elif wanted(name := name_of(path)):
        yield Source(name, path, size=size_of(path))


def sources(paths: Iterable[Path], wanted: Wanted) -> Iterator[Source]:
    """Yield the wanted recordings of all files; a file of traces in JSON lines is divided into its sessions."""
    for path in files(paths):
        divided = None
        with suppress(OSError):  # The worker that reads the file says why.
            divided = None if _is_stream(path) else line_sources(path, wanted)
        yield from parts(path, wanted) if divided is None else divided


def is_anything(paths: Iterable[Path]) -> bool:
    """Return whether the paths lead to a file that is there; a wrong path or pattern leads to none."""
    return any(_status(path) is not None for path in files(paths))


def size_of(path: Path) -> int:
    """Return the size of a file in bytes; 0 if the file is missing or out of reach."""
    found = _status(path)
    return found.st_size if found is not None else 0


def changed_at(path: Path) -> float:
    """Return the Unix time of the last change of a file; 0 if the file is missing or out of reach."""
    found = _status(path)
    return found.st_mtime if found is not None else 0.0


def _is_stream(path: Path) -> bool:
    """Return whether the bytes of a path come only once, as those of a pipe do; a recording is read twice."""
    mode = _mode(path)
    return S_ISFIFO(mode) or S_ISSOCK(mode) or S_ISCHR(mode)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:  # The reader of the file says why.
        return None


def _mode(path: Path) -> int:
    found = _status(path)
    return found.st_mode if found is not None else 0


def _inside(path: Path) -> Iterator[Path]:
    """Yield the recordings of a folder in the order of their names, or the file itself."""
    if not S_ISDIR(_mode(path)):
        yield path
        return
    for folder, inner, names in os.walk(path):
        inner.sort()
        for name in sorted(names):
            file = Path(folder, name)
            recorded = looks_recorded(name) or file.suffix.lower() in (".gz", ".db")
            if (recorded or is_archive(file) or is_table(file)) and S_ISREG(_mode(file)):
                yield file
