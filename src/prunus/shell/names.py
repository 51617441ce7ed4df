"""Many spellings of paths, asked at once whether one of them may mean a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["Names", "ends", "same_file"]

_DEEPEST: Final = 64
"""Folders of a path that are looked at, from its end."""


def same_file(path: str, name: str) -> bool:
    """Whether two spellings may mean one file."""
    return path == name or path.endswith("/" + name) or name.endswith("/" + path)


def ends(path: str) -> Iterator[str]:
    """The ends of a path that are paths themselves, the shortest first, and then all of it."""
    at = len(path)
    for _ in range(_DEEPEST):
        at = path.rfind("/", 0, at)
        if at < 0:
            break
        yield path[at + 1 :]
    yield path


class Names:
    """Spellings of files and folders."""

    __slots__ = ("_ends", "_names")

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._ends = frozenset(end for name in self._names for end in ends(name))

    def mean(self, path: str) -> bool:
        """Whether one of them may mean this file, as `same_file` has it."""
        return bool(self._names) and (path in self._ends or not self._names.isdisjoint(ends(path)))

    def hold(self, path: str) -> bool:
        """Whether one of them is a folder that the file is in."""
        return bool(self._names) and any(not self._names.isdisjoint(_fronts(end)) for end in ends(path))


def _fronts(path: str) -> Iterator[str]:
    """The folders at the front of a path."""
    at = path.find("/")
    for _ in range(_DEEPEST):
        if at < 0:
            break
        yield path[:at]
        at = path.find("/", at + 1)
