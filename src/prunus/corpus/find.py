"""The recordings in files, folders, archives and tables, one after another."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from prunus.corpus.archives import is_archive, looks_recorded, members
from prunus.corpus.lines import line_sources
from prunus.corpus.source import Source, Wanted
from prunus.corpus.tables import is_table, table_sources

_WILD: Final = frozenset("*?[")


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the given files, those that match a pattern, and what looks like a recording in the given folders.

    A file that several of the paths lead to comes once.
    """
    met: set[str] = set()
    for path in paths:
        matching = [path]
        if not path.exists() and _WILD.intersection(str(path)):
            matching = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
        for file in (file for found in matching for file in _inside(found)):
            if str(file) not in met:
                met.add(str(file))
                yield file


def parts(path: Path, wanted: Wanted = lambda name: True) -> Iterator[Source]:
    """Yield the recordings of one file: the members of an archive, the sessions of a table, or the file itself."""
    if is_archive(path):
        yield from members(path, wanted)
    elif is_table(path):
        yield from table_sources(path, wanted)
    elif wanted(str(path)):
        yield Source(str(path), path, size=path.stat().st_size if path.exists() else 0)


def sources(paths: Iterable[Path], wanted: Wanted) -> Iterator[Source]:
    """Yield the wanted recordings of all files; a file of traces in JSON lines is divided into its sessions."""
    for path in files(paths):
        divided = None
        with suppress(OSError):  # The worker that reads the file says why.
            divided = line_sources(path, wanted)
        yield from parts(path, wanted) if divided is None else divided


def _inside(path: Path) -> Iterator[Path]:
    """Yield the recordings of a folder in the order of their names, or the file itself."""
    if not path.is_dir():
        yield path
        return
    for folder, inner, names in os.walk(path):
        inner.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if (looks_recorded(name) or is_archive(file) or is_table(file) or file.suffix in (".gz", ".db")) and (
                file.is_file()
            ):
                yield file
