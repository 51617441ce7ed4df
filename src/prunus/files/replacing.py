"""Replace one text by another in a file of which some lines may be unknown."""

from __future__ import annotations

from prunus.files.content import PERHAPS_NOTHING, Content, Line, Patience, fitting


def replace_text(
    content: Content, old: str, new: str, every: bool = False, loose: bool = False, patience: Patience | None = None
) -> list[Line] | None:
    """Put one text in the place of another; returns the new lines, None if the edit cannot have happened here.

    The tool has made sure that the old text is in the file, and only once unless every occurrence is replaced. If
    the old text may be among unknown lines, every line that the edit may have changed or moved becomes unknown. A
    loose tool also accepts a text that only looks like the old one.
    """
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        return content.write(new) if content.length == 0 or content.blank else None
    edit = _Edit(content, old, new)
    patience = patience or Patience(len(edit.pieces) + old.count("\n"))
    edit.search(patience)
    if patience.over:
        content.forget()
        return []
    return edit.everywhere() if every else edit.once(loose)


class _Edit:
    """A replacement in one file, and the places where the old text is."""

    __slots__ = ("content", "new", "old", "perhaps", "pieces", "shift", "size", "sure")

    def __init__(self, content: Content, old: str, new: str) -> None:
        self.content, self.old, self.new = content, old, new
        self.pieces = content.pieces()
        self.size = old.count("\n") + 1
        """The lines of the old text."""
        self.shift = new.count("\n") + 1 - self.size
        """How far the lines below move."""
        self.sure: list[tuple[int, int]] = []
        """The places where the old text certainly is, as line and column."""
        self.perhaps: list[int] = []
        """The lines where it may be."""

    def search(self, patience: Patience) -> None:
        """Find the old text."""
        pieces, old = self.pieces, self.old.split("\n")
        if len(old) == 1:
            patience.left -= len(pieces) // 4
            for at, line in enumerate(pieces):
                if line is None:
                    self.perhaps.append(at)
                    continue
                column = line.text.find(old[0])
                while column >= 0:
                    self.sure.append((at, column))
                    column = line.text.find(old[0], column + len(old[0]))
            return
        first, *middle, last = old
        places = range(1, 1 + len(pieces) - (0 if self.content.length is None else len(old) - 1))
        for below in fitting(pieces, middle, places, patience):
            at, end = below - 1, below + len(middle)
            line, behind = pieces[at], pieces[end] if end < len(pieces) else None
            if line is not None and not line.text.endswith(first):
                continue
            if behind is not None and not behind.text.startswith(last):
                continue
            if line is None or behind is None or behind is PERHAPS_NOTHING or None in pieces[below:end]:
                self.perhaps.append(at)
            else:
                self.sure.append((at, len(line.text) - len(first)))

    def once(self, loose: bool) -> list[Line] | None:
        """Replace the one occurrence."""
        content, sure, size = self.content, self.sure, self.size
        if len(sure) > 1:
            return None
        if sure:
            at, column = sure[0]
            if over := [place for place in self.perhaps if at - size < place < at]:
                # Tools count what overlaps once, and take what comes first.
                content.disturb([*over, at], size, self.shift, self.pieces)
                return []
            made = content.kept(self.pieces[at : at + size], self.replaced(at, column))
            self.pieces[at : at + size] = made
            content.take(self.pieces)
            return made
        if loose or (not self.perhaps and content.length is not None):
            return None
        content.disturb(self.perhaps, size, self.shift, self.pieces)
        return []

    def everywhere(self) -> list[Line] | None:
        """Replace every occurrence."""
        content, pieces, sure = self.content, self.pieces, self.sure
        if not sure and not self.perhaps and content.length is not None:
            return None
        if "\n" not in self.old and "\n" not in self.new:
            made = []
            for at in dict.fromkeys(place for place, _ in sure):
                line = pieces[at]
                assert line is not None
                made.append(Line(line.text.replace(self.old, self.new)))
                pieces[at] = made[-1]
            content.take(pieces)
            return made
        # Lines may move, so that nothing below the first place is certain.
        first = min([*self.perhaps, *(place for place, _ in sure), len(pieces)])
        content.lines, content.length, content.ended = pieces[:first], None, None
        content.losses += 1
        return []

    def replaced(self, at: int, column: int) -> list[str]:
        """The lines at a place where the old text is, with the new text."""
        first, last = self.pieces[at], self.pieces[at + self.size - 1]
        assert first is not None and last is not None
        end = column + len(self.old) if self.size == 1 else len(self.old.rsplit("\n", 1)[1])
        return (first.text[:column] + self.new + last.text[end:]).split("\n")
