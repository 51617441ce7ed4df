"""The tracked files: what is certain about each, and which call showed which lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from prunus.calls.changes import FileChange, Insert, Lines, Replace, Write
from prunus.calls.paths import same_file
from prunus.calls.shown import Shown, Style
from prunus.clients.dialect import names
from prunus.files.content import Content, Line, Patience
from prunus.files.replacing import replace_text
from prunus.files.state import FileState, state_of
from prunus.shell.side_effects import NO_EFFECT, SideEffects
from prunus.value import value

_LINE_REMOVERS: Final = names("line_removers")
_EXACT: Final = frozenset({"Edit", "MultiEdit", "str_replace_editor", "str_replace_based_edit_tool", "file_editor"})
"""Tools that replace nothing but exactly the old text."""


@value
class Mention:
    """The lines of a file that one call showed, by the numbers that they had then."""

    use: int
    start: int
    lines: tuple[Line | None, ...]
    read: bool = False
    """Whether a read showed the lines, and not an edit."""


@dataclass(slots=True)
class TrackedFile:
    """One file."""

    path: str
    content: Content = field(default_factory=Content)
    reads: int = 0
    edits: int = 0
    deleted: bool = False
    changes_unseen: bool = False
    """The file changed once without a visible cause, so it may change at any time."""
    formatted_by: set[str] = field(default_factory=set)
    """Formatters that went over the file since its last change."""
    doubted: Content | None = None
    """The contents that were certain until something happened that may have changed the file."""
    fresh: bool = False
    """An agent that notices changes by others has changed the file since the user spoke last."""
    mentions: list[Mention] = field(default_factory=list)
    """The newest two mentions."""
    style: Style | None = None
    """How the newest read showed its lines; None if the file was never read."""
    traced: int = -1
    """The newest call whose change of the file was followed without a loss."""

    def show(self, use: int, found: Shown) -> bool:
        """Learn the lines that a call shows; returns whether they agree with what was known."""
        agrees = self.content.agrees(found.start, found.texts, found.total)
        if not agrees:
            self.content.forget()
        self.doubted = None
        lines = self.content.learn(found.start, found.texts, found.total, found.ended)
        self.style = found.style
        if None in found.texts:
            # A line so long that the tool may have cut it is not shown for certain, also where it is known.
            lines = [None if text is None else line for line, text in zip(lines, found.texts, strict=False)]
        self._mention(Mention(use, found.start, tuple(lines), read=True))
        return agrees

    def remembers(self, era: object) -> bool:
        """Whether lines of that era may still be in the file."""
        return era is self.content.era or (self.doubted is not None and era is self.doubted.era)

    def doubt(self) -> None:
        """Mark the file as possibly changed: no line is certain until `settle`, or until the file is read."""
        if not self.content.blank:
            self.doubted = self.content.set_aside()
        self.formatted_by.clear()

    def forget(self) -> None:
        """Forget all lines: the file was changed in a way that cannot be followed."""
        self.doubted = None
        self.content.forget()

    def settle(self) -> None:
        """End the doubt: the file has not been changed since it was seen last."""
        if self.doubted is not None:
            self.content.take_back(self.doubted)
        self.doubted = None

    def count_change(self) -> None:
        """Count one more change of the file."""
        self.edits += 1
        self.formatted_by.clear()
        self.doubted = None

    def record(self, use: int, made: list[Line] | None) -> None:
        """Remember the lines that a change brought; None is a change that could not be followed."""
        if made is None:
            self.forget()
            return
        self.doubted = None
        now = {id(line): number for number, line in enumerate(self.content.lines, 1) if line is not None}
        numbers = [now[id(line)] for line in made if id(line) in now]
        if numbers:
            start, end = min(numbers), max(numbers)
            keep = set(map(id, made))
            lines = self.content.lines[start - 1 : end]
            shown = tuple(line if line is not None and id(line) in keep else None for line in lines)
            self._mention(Mention(use, start, shown))

    def _mention(self, mention: Mention) -> None:
        """Remember the newest mentions; the lines of older ones need not be kept."""
        self.mentions = [*self.mentions[-1:], mention]

    def make(self, changes: Sequence[FileChange], tool: str) -> list[Line] | None:
        """Carry out changes; returns the new lines, None if one of the changes cannot have happened here."""
        made: list[Line] = []
        patience = Patience(len(self.content.lines) + len(changes))
        for change in changes:
            new = self._make(change, tool, patience)
            if new is None:
                return None
            made += new
        return made

    def _make(self, change: FileChange, tool: str, patience: Patience) -> list[Line] | None:
        content = self.content
        match change:
            case Write(str(text)):
                return content.write(text)
            case Replace(old, new, every):
                if not new and tool in _LINE_REMOVERS and not old.endswith("\n"):
                    return _remove(content, old, every, patience)
                return replace_text(content, old, new, every, tool not in _EXACT, patience)
            case Lines(start, end, text):
                return content.splice(start, end - start + 1, text.split("\n"))
            case Insert(int(line), text):
                texts = text.split("\n")
                if texts[-1] == "":
                    del content.lines[line:]
                    content.losses += 1
                    content.length = content.ended = None
                    return content.splice(line + 1, 0, texts[:-1])
                return content.splice(line + 1, 0, texts)
        return None


def _remove(content: Content, old: str, every: bool, patience: Patience) -> list[Line] | None:
    if not content.whole or content.ended is None:
        content.forget()
        return []
    text = "\n".join(line.text for line in content.lines if line is not None) + "\n" * content.ended
    return replace_text(content, old + "\n" if old + "\n" in text else old, "", every, patience=patience)


class TrackedFiles:
    """All tracked files, by path."""

    __slots__ = ("_certain", "_most", "_paths", "by_path")

    def __init__(self, most: int | None = None) -> None:
        """Track the most recently used files, up to a number; None tracks all."""
        self.by_path: dict[str, TrackedFile] = {}
        self._paths: dict[str, list[str]] = {}
        """The paths by the names of their files: two spellings of one file end in the same name."""
        self._certain: dict[str, TrackedFile] = {}
        """The files that were used since they were last in doubt; of all others nothing is certain."""
        self._most = most

    def use(self, path: str) -> TrackedFile:
        """Return the file of that path, and track it as the most recently used one."""
        file = self._of(path)
        if self._most is not None:
            self.by_path[path] = self.by_path.pop(path)
            while len(self.by_path) > self._most:
                self._drop(next(iter(self.by_path)))
        return file

    def _drop(self, path: str) -> None:
        del self.by_path[path]
        self._certain.pop(path, None)
        same = self._paths[_name(path)]
        same.remove(path)
        if not same:
            del self._paths[_name(path)]

    def _of(self, path: str) -> TrackedFile:
        """Return the file of that path, and track it from now on."""
        file = self.by_path.get(path)
        if file is None:
            file = self.by_path[path] = TrackedFile(path)
            self._paths.setdefault(_name(path), []).append(path)
        self._certain[path] = file
        return file

    def _others(self, path: str) -> Iterator[TrackedFile]:
        """The files that may be the same under another name."""
        paths = self._paths.get(_name(path), ())
        return (self.by_path[other] for other in paths if other != path and same_file(other, path))

    def disturb(self, found: SideEffects) -> None:
        """Doubt the files that a command with these side effects may have changed."""
        if found == NO_EFFECT:
            return
        self._doubt(found.covered(self._certain))
        self._doubt(path for path, file in self._certain.items() if file.changes_unseen)
        for run in found.formatters:
            for path, file in self.by_path.items():
                if run.covers(path):
                    if run.name not in file.formatted_by:
                        file.doubt()
                    file.formatted_by.add(run.name)
                    self._certain[path] = file

    def doubt_all(self) -> None:
        """Mark every file as possibly changed."""
        self._doubt(self._certain)

    def _doubt(self, paths: Iterable[str]) -> None:
        """Mark these files as possibly changed."""
        for path in tuple(paths):
            self._certain.pop(path).doubt()

    def forget(self, path: str) -> None:
        """Forget a file, and every file that may be the same under another name."""
        if (file := self.by_path.get(path)) is not None:
            file.forget()
            file.deleted = False
        self.forget_aliases(path)

    def forget_aliases(self, path: str) -> None:
        """Forget every file that may be the same under another name."""
        for file in self._others(path):
            file.forget()

    def rename(self, source: str, target: str) -> None:
        """Follow the move of a file."""
        old, new = self._of(source), self._of(target)
        new.content.lines = list(old.content.lines)
        new.content.length, new.content.ended = old.content.length, old.content.ended
        new.content.era = old.content.era
        new.deleted = False
        new.doubted = None
        old.forget()
        old.deleted = True

    def text_of(self, path: str) -> str | None:
        """The whole text of a file that a command names, even if the folder of the command is not known."""
        if path not in self.by_path and not path.startswith("/") and "/" in path:
            same = [known for known in self.by_path if known.endswith("/" + path)]
            path = same[0] if len(same) == 1 else path
        return self.state(path).text

    def state(self, path: str) -> FileState:
        """Return what is certain about a file now."""
        file = self.by_path.get(path)
        return FileState(path) if file is None else state_of(path, file.content, file.deleted)


def _name(path: str) -> str:
    return path[path.rfind("/") + 1 :]
