"""The changes that are still in the files at the end.

A change is taken back by a later one that restores the text before it, by an editor's undo, or by git, as far as
git had not recorded the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from prunus.changelog.file_edits import (
    EditVerb,
    FileEdit,
    LoggedAction,
    TextChange,
    UndoneEdit,
    differing_lines,
    line_counts,
)
from prunus.changelog.values import Origin
from prunus.shell.git import Record, Restore, Stash

_Known = TypeVar("_Known")
_LEVELS: Final = {"index": 1, "head": 2, "other": 3}


@dataclass(frozen=True, slots=True)
class Reason:
    """When and why a call was made."""

    turn: int
    purpose: str
    origin: Origin
    call: int = 0
    """The number of the call in its conversation."""


@dataclass(slots=True, eq=False)
class Entry:
    """One change of one file, with those of its texts that are still there."""

    path: str
    verb: EditVerb
    reason: Reason
    texts: list[TextChange]
    exact: bool
    source: str = ""
    new: bool = False
    """The file was not there before."""
    recorded: int = 0
    gone: bool = False

    def counts(self) -> tuple[int, int]:
        found = [line_counts(text.old, text.new) for text in self.texts]
        return sum(added for added, _ in found), sum(removed for _, removed in found)


@dataclass(slots=True)
class StandingChanges:
    """Takes the actions of all calls in order. Changes of turns before `since` only count as the beginning."""

    since: int = 0
    entries: list[Entry] = field(default_factory=list)
    reverted: int = 0
    contents: dict[str, str] = field(default_factory=dict)
    """The whole text of each file for which a call showed it."""
    there: set[str] = field(default_factory=set)
    """Files that are known to exist."""
    _versions: dict[str, list[tuple[str | None, int]]] = field(default_factory=dict)
    _before: dict[str, int] = field(default_factory=dict)
    """Files that were changed before `since`, and how far git had recorded that."""
    _stashes: list[list[Entry]] = field(default_factory=list)

    def take(self, action: LoggedAction, reason: Reason) -> None:
        """Take one action of a call."""
        match action:
            case FileEdit():
                self._change(action, reason)
            case UndoneEdit(path):
                last = next((entry for entry in reversed(self.entries) if entry.path == path), None)
                self.contents.pop(path, None)
                if last is not None:
                    self._remove([last])
                else:
                    self._add(Entry(path, "edited", reason, [], exact=False))
            case Restore():
                self._restore(action, reason)
            case Record(names, into):
                for entry in self._under(names):
                    entry.recorded = max(entry.recorded, _LEVELS[into])
                for path in self._before:
                    if _named(path, names):
                        self._before[path] = max(self._before[path], _LEVELS[into])
            case Stash(pop=True):
                self.entries += self._stashes.pop() if self._stashes else []
            case Stash():
                stashed = [entry for entry in self.entries if entry.recorded < 2 and not entry.new]
                self._stashes.append(stashed)
                self.entries = [entry for entry in self.entries if entry not in stashed]
                self.contents.clear()

    def left(self) -> tuple[Entry, ...]:
        """The changes that are still there; stashed changes count as reverted."""
        self.reverted += sum(map(len, self._stashes))
        self._stashes.clear()
        return tuple(self.entries)

    def _change(self, change: FileEdit, reason: Reason) -> None:
        path = change.path
        if change.verb == "renamed":
            self._rename(change.source, path)
        before = self.contents.get(path)
        absent = path not in self.there and before is None
        after = _after(change, before)
        if after is None:
            self.contents.pop(path, None)
        else:
            self.contents[path] = after
        if change.verb == "deleted":
            self.contents.pop(path, None)
            self.there.discard(path)
        else:
            self.there.add(path)
        if reason.turn < self.since:
            self._before.setdefault(path, 0)
            return
        created = change.verb == "written" and absent
        versions = self._versions.setdefault(path, [(None if created else before, 0)] if created or before else [])
        entry = Entry(path, change.verb, reason, list(change.texts), change.exact, change.source, created)
        if change.whole is not None:
            entry.texts = [TextChange(before or "", change.whole)]
            entry.exact = created or before is not None
        elif any(text.everywhere for text in change.texts):
            entry.texts = list(_each(change.texts, before))
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
        """Whether the file is as it was before; then every change since is taken back."""
        for version, count in self._versions.get(path, ()):
            if version == text:
                self._remove([entry for entry in self.entries if entry.path == path][count:])
                return True
        return False

    def _cancel(self, entry: Entry) -> None:
        """Take back the texts that a new change undoes, in one step or in several."""
        others = [other for other in self.entries if other.path == entry.path and other is not entry]
        for newest in tuple(entry.texts):
            before, after = differing_lines(newest.old, newest.new)
            if not _telling([*before, *after]):
                continue
            chain: list[tuple[Entry, TextChange]] = [(entry, newest)]
            lines = before
            for other in reversed(others):
                for older in reversed(other.texts):
                    was, became = differing_lines(older.old, older.new)
                    if became == lines:
                        chain.append((other, older))
                        lines = was
                        break
                if lines == after:
                    break
            if lines == after:
                for owner, old in chain:
                    owner.texts.remove(old)
        emptied = [e for e in (*others, entry) if not e.texts and e.exact and e.verb in ("edited", "appended")]
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
            entry.texts = [TextChange(before, "")]
        entry.exact = bool(entry.texts)
        self._add(entry)

    def _rename(self, source: str, path: str) -> None:
        for entry in self.entries:
            if entry.path == source:
                entry.path = path
        _carry(self.contents, source, path)
        _carry(self._versions, source, path)
        _carry(self._before, source, path)
        self.there.discard(source)

    def _renamed_back(self, entry: Entry) -> bool:
        for other in self.entries:
            if other.verb == "renamed" and other.source == entry.path and not other.texts and not entry.texts:
                self._remove([other])
                self.reverted += 1
                return True
        return False

    def _restore(self, restore: Restore, reason: Reason) -> None:
        level = _LEVELS[restore.to]
        hit = [entry for entry in self._under(restore.names) if entry.recorded < level and not entry.new]
        self._remove(hit)
        for path in [path for path in self.contents if _named(path, restore.names)]:
            self.contents.pop(path)
        for path, recorded in self._before.items():
            if _named(path, restore.names) and recorded < level and reason.turn >= self.since:
                why = Reason(reason.turn, "Restored from git", "none", reason.call)
                self._add(Entry(path, "edited", why, [], exact=False))

    def _under(self, names: tuple[str, ...]) -> Iterator[Entry]:
        return (entry for entry in self.entries if _named(entry.path, names))


def _carry(known: dict[str, _Known], source: str, path: str) -> None:
    """Keep what is known of a file under its new name."""
    if source in known:
        known[path] = known.pop(source)


def _after(change: FileEdit, before: str | None) -> str | None:
    """The whole text of the file after a change, if it is certain."""
    if change.whole is not None:
        return change.whole
    if before is None or not change.exact:
        return None
    if change.verb == "appended":
        return before + "".join(text.new for text in change.texts)
    for text in change.texts:
        if not text.old or text.old not in before:
            return None
        before = before.replace(text.old, text.new, -1 if text.everywhere else 1)
    return before


def _each(texts: tuple[TextChange, ...], before: str | None) -> Iterator[TextChange]:
    """A replacement everywhere as one text change for each place, if the places can be counted."""
    for text in texts:
        times = before.count(text.old) if text.everywhere and before and text.old else 1
        yield from [text] * max(times, 1)


def _telling(lines: Sequence[str]) -> bool:
    """Whether lines can be recognised; blank lines and brackets are in many places."""
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
