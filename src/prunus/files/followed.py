"""One file that is followed: what is certain of it, and which call showed what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from prunus.calls.changes import Change, Insert, Lines, Replace, Write
from prunus.files.content import Content, Line
from prunus.files.lines import Patience
from prunus.files.shown import Shown
from prunus.files.style import Style

__all__ = ["Followed", "Mention"]

_EXACT: Final = frozenset({"Edit", "MultiEdit", "str_replace_editor", "str_replace_based_edit_tool", "file_editor"})
"""Tools that replace nothing but exactly the old text."""


@dataclass(frozen=True, slots=True)
class Mention:
    """What one call showed of a file: the lines, by the numbers they had then."""

    use: int
    start: int
    lines: tuple[Line | None, ...]
    style: Style | None = None
    """How they were shown, if by reading."""
    losses: int = 0
    """Losses of the file before it: while there are no more, a line that is gone was replaced by another."""


@dataclass(slots=True)
class Followed:
    """One file."""

    path: str
    content: Content = field(default_factory=Content)
    reads: int = 0
    edits: int = 0
    deleted: bool = False
    restless: bool = False
    """It changed once without a cause that shows, so it may at any time."""
    tidy: set[str] = field(default_factory=set)
    """Formatters that went over it since it was changed last."""
    doubted: Content | None = None
    """What was certain until something happened that may have changed it, or not."""
    fresh: bool = False
    """Claude Code has changed it since the user spoke last."""
    mentions: list[Mention] = field(default_factory=list)
    traced: int = -1
    """The newest call whose change of it was followed without a loss."""

    def show(self, use: int, found: Shown) -> bool:
        """Take over what a call shows; whether that agrees with what was known."""
        agrees = self.content.agrees(found.start, found.texts, found.total)
        if not agrees:
            self.content.forget()
        self.doubted = None
        lines = self.content.learn(found.start, found.texts, found.total, found.ended)
        self.mentions.append(Mention(use, found.start, tuple(lines), found.style, self.content.losses))
        return agrees

    def doubt(self) -> None:
        """It may have been changed, or not: nothing is certain until that is settled."""
        if not self.content.blank:
            self.doubted = self.content.set_aside()
        self.tidy.clear()

    def forget(self) -> None:
        """It was changed in a way that cannot be followed."""
        self.doubted = None
        self.content.forget()

    def settle(self) -> None:
        """It has not been changed since it was seen last."""
        if self.doubted is not None:
            self.content.take_back(self.doubted)
        self.doubted = None

    def count_change(self) -> None:
        """It was changed once more."""
        self.edits += 1
        self.tidy.clear()
        self.doubted = None

    def record(self, use: int, made: list[Line] | None) -> None:
        """Remember which lines a change brought; one that could not be followed leaves nothing certain."""
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
            self.mentions.append(Mention(use, start, shown, losses=self.content.losses))

    def make(self, change: Change, tool: str, patience: Patience) -> list[Line] | None:
        """Carry out one change; returns its lines, None if it cannot have happened here."""
        content = self.content
        match change:
            case Write(str(text)):
                return content.write(text)
            case Replace(old, new, every):
                # Claude Code takes the line break along where a whole line is removed.
                if not new and tool in ("Edit", "MultiEdit") and not old.endswith("\n"):
                    return _remove(content, old, every, patience)
                return content.replace(old, new, every, tool not in _EXACT, patience)
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
    return content.replace(old + "\n" if old + "\n" in text else old, "", every, patience=patience)
