"""The changes that are still in the files: what is taken back later leaves the ledger.

A change is taken back by a later one that restores the text before it, by an editor's undo, or by git, as far as
git had not taken note of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from prunus.changelog.changes import (
    Action,
    Change,
    Piece,
    Restore,
    Settle,
    Shelve,
    Undo,
    Unshelve,
    Verb,
    core,
    counts,
)
from prunus.changelog.values import Origin

__all__ = ["Entry", "Ledger", "Reason"]

_Known = TypeVar("_Known")
_LEVELS: Final = {"index": 1, "head": 2, "other": 3}


@dataclass(frozen=True, slots=True)
class Reason:
    """When and why a call was made."""

    turn: int
    purpose: str
    origin: Origin
    call: int = 0
    """Its number among the calls of its conversation."""


@dataclass(slots=True, eq=False)
class Entry:
    """One change of one file, and which of its pieces are still there."""

    path: str
    verb: Verb
    reason: Reason
    pieces: list[Piece]
    exact: bool
    source: str = ""
    new: bool = False
    """The file was not there before."""
    settled: int = 0
    gone: bool = False

    def counts(self) -> tuple[int, int]:
        found = [counts(piece.old, piece.new) for piece in self.pieces]
        return sum(added for added, _ in found), sum(removed for _, removed in found)


@dataclass(slots=True)
class Ledger:
    """Takes in what calls do, in order. Changes of turns before `since` are only remembered as the beginning."""

    since: int = 0
    entries: list[Entry] = field(default_factory=list)
    reverted: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    """What is in each file, where a call said all of it."""
    there: set[str] = field(default_factory=set)
    """Files that are known to exist."""
    _versions: dict[str, list[tuple[str | None, int]]] = field(default_factory=dict)
    _before: dict[str, int] = field(default_factory=dict)
    """Files that were changed before `since`, and how far git had taken note of that."""
    _shelf: list[list[Entry]] = field(default_factory=list)

    def take(self, action: Action, reason: Reason) -> None:
        """Take in what a call did."""
        match action:
            case Change():
                self._change(action, reason)
            case Undo(path):
                last = next((entry for entry in reversed(self.entries) if entry.path == path), None)
                self.texts.pop(path, None)
                if last is not None:
                    self._remove([last])
                else:
                    self._add(Entry(path, "edited", reason, [], exact=False))
            case Restore():
                self._restore(action, reason)
            case Settle(names, into):
                for entry in self._under(names):
                    entry.settled = max(entry.settled, _LEVELS[into])
                for path in self._before:
                    if _named(path, names):
                        self._before[path] = max(self._before[path], _LEVELS[into])
            case Shelve():
                shelved = [entry for entry in self.entries if entry.settled < 2 and not entry.new]
                self._shelf.append(shelved)
                self.entries = [entry for entry in self.entries if entry not in shelved]
                self.texts.clear()
            case Unshelve():
                self.entries += self._shelf.pop() if self._shelf else []

    def left(self) -> tuple[Entry, ...]:
        """The changes that are still there; what was put on a shelf is among the reverted ones."""
        self.reverted += sum(map(len, self._shelf))
        self._shelf.clear()
        return tuple(self.entries)

    def _change(self, change: Change, reason: Reason) -> None:
        path = change.path
        if change.verb == "renamed":
            self._rename(change.source, path)
        before = self.texts.get(path)
        absent = path not in self.there and before is None
        after = _after(change, before)
        if after is None:
            self.texts.pop(path, None)
        else:
            self.texts[path] = after
        if change.verb == "deleted":
            self.texts.pop(path, None)
            self.there.discard(path)
        else:
            self.there.add(path)
        if reason.turn < self.since:
            self._before.setdefault(path, 0)
            return
        created = change.verb == "written" and absent
        versions = self._versions.setdefault(path, [(None if created else before, 0)] if created or before else [])
        entry = Entry(path, change.verb, reason, list(change.pieces), change.exact, change.source, created)
        if change.whole is not None:
            entry.pieces = [Piece(before or "", change.whole)]
            entry.exact = created or before is not None
        elif any(piece.everywhere for piece in change.pieces):
            entry.pieces = list(_each(change.pieces, before))
            entry.exact = change.exact and before is not None
        if change.verb == "deleted":
            self._delete(entry, before)
            return
        if change.verb == "renamed" and self._renamed_back(entry):
            return
        self._add(entry)
        if after is not None and self._returned(path, after):
            return
        if after is not None:
            versions.append((after, self._count(path)))
        self._cancel(entry)

    def _add(self, entry: Entry) -> None:
        if entry.reason.turn >= self.since:
            self.entries.append(entry)

    def _count(self, path: str) -> int:
        return sum(entry.path == path for entry in self.entries)

    def _returned(self, path: str, text: str) -> bool:
        """Whether the file is as it was before; then everything since is taken back."""
        for version, count in self._versions.get(path, ()):
            if version == text:
                self._remove([entry for entry in self.entries if entry.path == path][count:])
                return True
        return False

    def _cancel(self, entry: Entry) -> None:
        """Take back the pieces that a new change undoes, at once or over several steps."""
        others = [other for other in self.entries if other.path == entry.path and other is not entry]
        for piece in tuple(entry.pieces):
            before, after = core(piece.old, piece.new)
            if not _telling([*before, *after]):
                continue
            chain: list[tuple[Entry, Piece]] = [(entry, piece)]
            text = before
            for other in reversed(others):
                for older in reversed(other.pieces):
                    was, became = core(older.old, older.new)
                    if became == text:
                        chain.append((other, older))
                        text = was
                        break
                if text == after:
                    break
            if text == after:
                for owner, old in chain:
                    owner.pieces.remove(old)
        emptied = [e for e in (*others, entry) if not e.pieces and e.exact and e.verb in ("edited", "appended")]
        self._remove(emptied)

    def _remove(self, entries: list[Entry]) -> None:
        for entry in entries:
            if not entry.gone:
                entry.gone = True
                self.reverted += 1
        self.entries = [entry for entry in self.entries if not entry.gone]

    def _delete(self, entry: Entry, before: str | None) -> None:
        inside = f"{entry.path}/"
        mine = [other for other in self.entries if other.path == entry.path or other.path.startswith(inside)]
        created = any(other.new for other in mine)
        self._remove(mine)
        if created:
            self.reverted += 1
            return
        if before is not None:
            entry.pieces = [Piece(before, "")]
        entry.exact = bool(entry.pieces)
        self._add(entry)

    def _rename(self, source: str, path: str) -> None:
        for entry in self.entries:
            if entry.path == source:
                entry.path = path
        _carry(self.texts, source, path)
        _carry(self._versions, source, path)
        _carry(self._before, source, path)
        self.there.discard(source)

    def _renamed_back(self, entry: Entry) -> bool:
        for other in self.entries:
            if other.verb == "renamed" and other.source == entry.path and not other.pieces and not entry.pieces:
                self._remove([other])
                self.reverted += 1
                return True
        return False

    def _restore(self, restore: Restore, reason: Reason) -> None:
        level = _LEVELS[restore.to]
        hit = [entry for entry in self._under(restore.names) if entry.settled < level and not entry.new]
        self._remove(hit)
        for path in [path for path in self.texts if _named(path, restore.names)]:
            self.texts.pop(path)
        for path, settled in self._before.items():
            if _named(path, restore.names) and settled < level and reason.turn >= self.since:
                why = Reason(reason.turn, "Restored from git", "none", reason.call)
                self._add(Entry(path, "edited", why, [], exact=False))

    def _under(self, names: tuple[str, ...]) -> Iterator[Entry]:
        return (entry for entry in self.entries if _named(entry.path, names))


def _carry(known: dict[str, _Known], source: str, path: str) -> None:
    """What is known of a file goes with it to its new name."""
    if source in known:
        known[path] = known.pop(source)


def _after(change: Change, before: str | None) -> str | None:
    """What is in the file after a change, if that is certain."""
    if change.whole is not None:
        return change.whole
    if before is None or not change.exact:
        return None
    if change.verb == "appended":
        return before + "".join(piece.new for piece in change.pieces)
    for piece in change.pieces:
        if not piece.old or piece.old not in before:
            return None
        before = before.replace(piece.old, piece.new, -1 if piece.everywhere else 1)
    return before


def _each(pieces: tuple[Piece, ...], before: str | None) -> Iterator[Piece]:
    """A replacement everywhere as one piece for each place, where the places can be counted."""
    for piece in pieces:
        times = before.count(piece.old) if piece.everywhere and before and piece.old else 1
        yield from [piece] * max(times, 1)


def _telling(lines: Sequence[str]) -> bool:
    """Whether lines say enough to be known again; a blank line or a bracket stands in many places."""
    return sum(character.isalnum() for line in lines for character in line) > 2


def _named(path: str, names: tuple[str, ...]) -> bool:
    """Whether a path is one of these files or lies in one of these folders."""
    for name in names:
        name = name.removeprefix("./").rstrip("/")
        if name in ("", ".", ":/", "*") or path == name or path.endswith(f"/{name}"):
            return True
        if path.startswith(f"{name}/") or f"/{name}/" in path:
            return True
    return False
