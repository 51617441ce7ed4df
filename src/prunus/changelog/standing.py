"""The changes that are still in the files at the end.

A change is taken back by a later one that restores the text before it, by an editor's undo, or by git, as far as
git had not recorded the change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from prunus.calls.changes import Replace
from prunus.changelog.file_edits import EditVerb, FileEdit, LoggedAction, differing_lines, line_counts
from prunus.changelog.values import Origin
from prunus.shell.changes import Record, Restore, Stash

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
    texts: list[Replace]
    exact: bool
    source: str = ""
    new: bool = False
    """The file was not there before."""
    recorded: int = 0
    """How far git has recorded the change."""

    def counts(self) -> tuple[int, int]:
        found = [line_counts(text.old, text.new) for text in self.texts]
        return sum(added for added, _ in found), sum(removed for _, removed in found)


@dataclass(slots=True)
class _LoggedFile:
    """What is known of one file."""

    text: str | None = None
    """The whole file, if a call showed it."""
    exists: bool = False
    versions: list[tuple[str | None, int]] = field(default_factory=list)
    """Texts that the file had, None before it was created, each with the number of its entries then."""
    recorded_before: int | None = None
    """How far git had recorded changes of turns before `since`; None if there were none."""


@dataclass(slots=True)
class StandingChanges:
    """Takes the actions of all calls in order. Changes of turns before `since` only count as the beginning."""

    since: int = 0
    entries: list[Entry] = field(default_factory=list)
    reverted: int = 0
    _files: dict[str, _LoggedFile] = field(default_factory=dict)
    _stashes: list[list[Entry]] = field(default_factory=list)

    def exists(self, path: str) -> None:
        """A call has read a file."""
        self._file(path).exists = True

    def take(self, action: LoggedAction, reason: Reason) -> None:
        """Take one action of a call."""
        match action:
            case FileEdit(path, "undone"):
                self._file(path).text = None
                if mine := self._of(path):
                    self._remove(mine[-1:])
                else:
                    self._add(Entry(path, "edited", reason, [], exact=False))
            case FileEdit():
                self._change(action, reason)
            case Restore():
                self._restore(action, reason)
            case Record(names, into):
                for entry in self._under(names):
                    entry.recorded = max(entry.recorded, _LEVELS[into])
                for path, file in self._files.items():
                    if file.recorded_before is not None and _named(path, names):
                        file.recorded_before = max(file.recorded_before, _LEVELS[into])
            case Stash(pop=True):
                self.entries += self._stashes.pop() if self._stashes else []
            case Stash():
                stashed = [entry for entry in self.entries if entry.recorded < 2 and not entry.new]
                self._stashes.append(stashed)
                self._drop(stashed)
                for file in self._files.values():
                    file.text = None

    def left(self) -> tuple[Entry, ...]:
        """The changes that are still there; stashed changes count as reverted."""
        self.reverted += sum(map(len, self._stashes))
        self._stashes.clear()
        return tuple(self.entries)

    def _change(self, change: FileEdit, reason: Reason) -> None:
        path = change.path
        if change.verb == "renamed":
            self._rename(change.source, path)
        file = self._file(path)
        before = file.text
        created = change.verb == "written" and not file.exists and before is None
        after = file.text = None if change.verb == "deleted" else _after(change, before)
        file.exists = change.verb != "deleted"
        if reason.turn < self.since:
            file.recorded_before = file.recorded_before or 0
            return
        if not file.versions and (created or before):
            file.versions.append((None if created else before, len(self._of(path))))
        entry = Entry(path, change.verb, reason, list(change.texts), change.exact, change.source, created)
        if change.whole is not None:
            entry.texts = [Replace(before or "", change.whole)]
            entry.exact = created or before is not None
        elif any(text.every for text in change.texts):
            entry.texts = list(_each(change.texts, before))
            entry.exact = change.exact and before is not None
        if change.verb == "deleted":
            self._delete(entry, before)
            return
        if change.verb == "renamed" and self._renamed_back(entry):
            return
        self._add(entry)
        if after is None:
            self._cancel(entry)
        elif (count := next((count for text, count in file.versions if text == after), None)) is not None:
            # The file is as it was before, so every change since is taken back.
            self._remove(self._of(path)[count:])
        else:
            file.versions.append((after, len(self._of(path))))
            self._cancel(entry)

    def _file(self, path: str) -> _LoggedFile:
        return self._files.setdefault(path, _LoggedFile())

    def _of(self, path: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.path == path]

    def _under(self, names: tuple[str, ...]) -> Iterator[Entry]:
        return (entry for entry in self.entries if _named(entry.path, names))

    def _add(self, entry: Entry) -> None:
        if entry.reason.turn >= self.since:
            self.entries.append(entry)

    def _remove(self, entries: list[Entry]) -> None:
        self.reverted += len(entries)
        self._drop(entries)

    def _drop(self, entries: list[Entry]) -> None:
        dropped = set(map(id, entries))
        self.entries = [entry for entry in self.entries if id(entry) not in dropped]

    def _cancel(self, entry: Entry) -> None:
        """Take back the texts that a new change undoes, in one step or in several."""
        others = [other for other in self.entries if other.path == entry.path and other is not entry]
        for newest in tuple(entry.texts):
            before, after = differing_lines(newest.old, newest.new)
            if not _telling([*before, *after]):
                continue
            chain: list[tuple[Entry, Replace]] = [(entry, newest)]
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

    def _delete(self, entry: Entry, before: str | None) -> None:
        inside = f"{entry.path}/"
        mine = [other for other in self.entries if other.path == entry.path or other.path.startswith(inside)]
        self._remove(mine)
        if any(other.new for other in mine):
            self.reverted += 1
            return
        if before is not None:
            entry.texts = [Replace(before, "")]
        entry.exact = bool(entry.texts)
        self._add(entry)

    def _rename(self, source: str, path: str) -> None:
        for entry in self._of(source):
            entry.path = path
        if source in self._files:
            self._files[path] = self._files.pop(source)

    def _renamed_back(self, entry: Entry) -> bool:
        for other in self.entries:
            if other.verb == "renamed" and other.source == entry.path and not other.texts and not entry.texts:
                self._remove([other])
                self.reverted += 1
                return True
        return False

    def _restore(self, restore: Restore, reason: Reason) -> None:
        level = _LEVELS[restore.to]
        self._remove([entry for entry in self._under(restore.names) if entry.recorded < level and not entry.new])
        why = Reason(reason.turn, "Restored from git", "none", reason.call)
        for path, file in self._files.items():
            if _named(path, restore.names):
                file.text = None
                if file.recorded_before is not None and file.recorded_before < level:
                    self._add(Entry(path, "edited", why, [], exact=False))


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
        before = before.replace(text.old, text.new, -1 if text.every else 1)
    return before


def _each(texts: tuple[Replace, ...], before: str | None) -> Iterator[Replace]:
    """A replacement everywhere as one text change for each place, if the places can be counted."""
    for text in texts:
        times = before.count(text.old) if text.every and before and text.old else 1
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
