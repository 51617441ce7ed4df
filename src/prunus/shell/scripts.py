"""The files that a command may run: each is read once, however often it is run."""

from __future__ import annotations

from collections.abc import Callable

from prunus.shell.reached import Reach

__all__ = ["Known", "Scripts"]

Known = Callable[[str], str | None]
"""The text of a file, if all of it is known."""


class Scripts:
    """What scripts hold and how far they reach, for one command and all that it runs."""

    __slots__ = ("_known", "_reached", "_texts")

    def __init__(self, known: Known) -> None:
        self._known = known
        self._texts: dict[str, str | None] = {}
        self._reached: dict[tuple[str, int, bool], Reach] = {}

    def text(self, path: str) -> str | None:
        """The text of a file, if all of it is known."""
        if path not in self._texts:
            self._texts[path] = self._known(path)
        return self._texts[path]

    def reached(self, path: str, depth: int, spoke: bool, find: Callable[[], Reach]) -> Reach:
        """How far a script reaches that is run at some depth, and whose output is read or not."""
        key = (path, depth, spoke)
        if key not in self._reached:
            self._reached[key] = find()
        return self._reached[key]
