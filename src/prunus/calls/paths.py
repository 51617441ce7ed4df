"""Paths as agents write them, in one spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_UNTIDY = re.compile(r"\\|//|(?:^|/)\.{1,2}(?:/|$)|/$")
_LONGEST = 4096
"""Characters of a folder that a system takes; a command that goes deeper is followed no further."""
_DEEPEST = 64
"""Folders of a path that are compared, from its end."""
_ABSOLUTE = re.compile(r"[/~$]|[A-Za-z]:")


def normalise(path: str) -> str:
    """The path with forward slashes and without `./`, `//`, `a/../` or a slash at its end.

    Nothing is looked up: a relative path stays relative, and a `..` at its front stays.
    """
    path = path.strip()
    if path.startswith("file://"):
        path = path[7:]
    if not _UNTIDY.search(path):
        return path
    path = path.replace("\\", "/")
    root = "/" if path.startswith("/") else ""
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".." or not root:
            parts.append(part)
    return root + "/".join(parts) or "."


def join(base: str, path: str) -> str:
    """The path as seen from a folder, normalised; an absolute path stays what it is."""
    if not base or _ABSOLUTE.match(path) or path.startswith("\\"):
        return normalise(path)
    if len(base) > _LONGEST:
        return base
    return normalise(f"{base}/{path}")


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
