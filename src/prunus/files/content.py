"""The known lines of one file, in order; some lines may be unknown.

A line keeps its identity while it moves, so that Prunus can tell which lines of an old read are still in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from prunus.calls.shown import LONGEST

MOST: Final = 20_000
"""Lines of the longest file that is followed, so that a number in a call or a result cannot use up all memory."""


class Line(Struct, eq=False, gc=False):
    """One known line of a file. Two lines with the same text are not equal.

    A conversation has very many lines, so this is a class of `msgspec`: it takes the least time and memory.
    """

    text: str


class Patience:
    """A limit on how many lines one edit compares.

    In a file with thousands of equal lines, an edit of such lines fits nearly everywhere. No agent writes such an
    edit, so the search gives up instead of finding every place.
    """

    __slots__ = ("left",)

    def __init__(self, lines: int) -> None:
        self.left = 20_000 + 20 * lines

    @property
    def over(self) -> bool:
        """Whether the search was given up before every place was found."""
        return self.left < 0


def fitting(
    held: Sequence[Line | None],
    wanted: Sequence[str],
    places: range,
    patience: Patience,
    same: Callable[[str], str] = str,
) -> Iterator[int]:
    """The places at which no known line differs from the wanted lines; any line may follow the last known one.

    `same` makes equal what counts as equal, in both texts.
    """
    texts = [same(text) for text in wanted]
    size = len(held)
    for place in places:
        at = place
        for text in texts:
            if at >= size or ((line := held[at]) is not None and line.text != text and same(line.text) != text):
                break
            at += 1
        patience.left -= at - place + 1
        if patience.left < 0:
            return
        if at >= size or at == place + len(texts):
            yield place


def split(text: str) -> tuple[list[str], bool]:
    """The lines of a text, and whether the last one ends with a line break."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    ended = lines[-1] == ""
    return (lines[:-1] if ended else lines), ended


class Content:
    """The certain lines of a file.

    If the length of the file is unknown, more lines may follow the last known line.
    """

    __slots__ = ("ended", "era", "length", "lines", "losses")

    def __init__(self) -> None:
        self.lines: list[Line | None] = []
        self.losses = 0
        """How often known lines became unknown; a line that another known line replaces does not count."""
        self.length: int | None = None
        self.ended: bool | None = None
        """Whether the last line ends with a line break."""
        self.era = object()
        """A new object each time all lines are forgotten: no line of an earlier era comes back."""

    @property
    def blank(self) -> bool:
        """Whether nothing is known."""
        return self.length is None and not any(self.lines)

    @property
    def whole(self) -> bool:
        """Whether every line is known."""
        return self.length is not None and None not in self.lines

    def text_at(self, number: int) -> str | None:
        """The line of that number, counted from 1, if it is known."""
        line = self.lines[number - 1] if 0 < number <= len(self.lines) else None
        return None if line is None else line.text

    def holds(self, texts: Sequence[str]) -> bool:
        """Whether the file holds these lines one after another; empty lines at the end do not count."""
        wanted = list(texts)
        while wanted and not wanted[-1]:
            wanted.pop()
        places = range(len(self.lines) - len(wanted) + 1)
        found = fitting(self.lines, wanted, places, Patience(len(self.lines) + len(wanted)))
        return any(None not in self.lines[at : at + len(wanted)] for at in found)

    def forget(self) -> None:
        """Forget every line."""
        self.lines, self.length, self.ended, self.era = [], None, None, object()
        self.losses += 1

    def set_aside(self) -> Content:
        """Move all that is known to a new value, and forget it here."""
        held = Content()
        held.take_back(self)
        self.forget()
        return held

    def take_back(self, held: Content) -> None:
        """Restore what was set aside."""
        self.lines, self.length, self.ended, self.era = held.lines, held.length, held.ended, held.era

    def write(self, text: str) -> list[Line]:
        """Replace the whole file; returns its lines."""
        texts, ended = split(text)
        if len(texts) > MOST:
            self.forget()
            return []
        new = self.kept(self.lines, texts)
        self.lines = list(new)
        self.length, self.ended = len(texts), ended if texts else None
        return new

    def agrees(self, start: int, texts: Sequence[str | None], total: int | None = None) -> bool:
        """Whether no shown line contradicts a known one. A shown line without a text is a very long one."""
        end = start - 1 + len(texts)
        if self.length is not None and (end > self.length or (total is not None and total != self.length)):
            return False
        if total is not None and any(line is not None for line in self.lines[total:]):
            return False
        held = self.lines[start - 1 : end]
        return all(
            line is None or (len(line.text) >= LONGEST if text is None else line.text == text)
            for line, text in zip(held, texts, strict=False)
        )

    def learn(
        self, start: int, texts: Sequence[str | None], total: int | None = None, ended: bool | None = None
    ) -> list[Line | None]:
        """Add lines that a result shows. Known lines stay, so the shown ones have to agree with them."""
        end = start - 1 + len(texts)
        if max(end, total or 0) > MOST:
            self.forget()
            return []
        if len(self.lines) < end:
            self.lines += [None] * (end - len(self.lines))
        held = self.lines[start - 1 : end]
        self.lines[start - 1 : end] = [
            Line(text) if line is None and text is not None else line
            for line, text in zip(held, texts, strict=False)
        ]
        if total is not None:
            self.length = total
            del self.lines[total:]
            self.lines += [None] * (total - len(self.lines))
            self.ended = ended if ended is not None else self.ended
        return self.lines[start - 1 : end]

    def splice(self, start: int, removed: int, texts: Sequence[str]) -> list[Line]:
        """Replace lines by number; returns the new lines."""
        at = start - 1
        if at + max(removed, len(texts)) > MOST:
            self.forget()
            return []
        if len(self.lines) < at + removed:
            self.lines += [None] * (at + removed - len(self.lines))
        new = self.kept(self.lines[at : at + removed], texts)
        self.lines[at : at + removed] = new
        if self.length is not None:
            self.length = len(self.lines)
        return new

    def disturb(
        self, places: Sequence[int], size: int, shift: int, pieces: list[Line | None] | None = None
    ) -> None:
        """Forget what an edit may have changed: `size` lines at one of these places, or after all known lines."""
        pieces = self.pieces() if pieces is None else pieces
        self.losses += 1
        if shift == 0:
            for place in places:
                for at in range(place, min(place + size, len(pieces))):
                    pieces[at] = None
            self.take(pieces)
            return
        first = min(places, default=len(pieces))
        last = max(places, default=0) + size
        if self.length is None:
            del self.lines[first:]
            return
        between: list[Line | None] = [None] * max(last - first + shift, 0)
        self.take(pieces[:first] + between + pieces[last:])

    def pieces(self) -> list[Line | None]:
        """The texts between the line breaks; the text behind the last line break may be empty."""
        if self.length is None or self.ended is False or (self.ended is None and self.length == 0):
            return list(self.lines)
        return [*self.lines, _NOTHING if self.ended else PERHAPS_NOTHING]

    def take(self, pieces: list[Line | None]) -> None:
        if len(pieces) > MOST:
            self.forget()
            return
        if self.length is None:
            if pieces and (end := pieces[-1]) is not None and end.text == "":
                # The file may end here, and then the empty text is no line.
                pieces.pop()
            self.lines = pieces
            return
        last = pieces[-1] if pieces else _NOTHING
        if last is None:
            self.lines, self.ended, self.length = pieces, None, None
            return
        before = pieces[-2] if len(pieces) > 1 else last
        if last is PERHAPS_NOTHING and (before is None or before.text == ""):
            # An empty last line may only be the line break of the line before.
            self.lines, self.ended, self.length = pieces[:-2], None, None
            self.losses += 1
            return
        ended = None if last is PERHAPS_NOTHING else last.text == ""
        self.lines = pieces[:-1] if last.text == "" else pieces
        self.length = len(self.lines)
        self.ended = ended if self.lines else None

    @staticmethod
    def kept(before: Sequence[Line | None], texts: Sequence[str]) -> list[Line]:
        """Lines of these texts. Equal lines at both ends keep the identity that they had before."""
        made: list[Line] = []
        most = min(len(before), len(texts))
        front = 0
        while front < most and (line := before[front]) is not None and line.text == texts[front]:
            if line in _ENDS:
                break
            made.append(line)
            front += 1
        back = 0
        tail: list[Line] = []
        while back < most - front and (line := before[-1 - back]) is not None and line.text == texts[-1 - back]:
            if line in _ENDS:
                break
            tail.append(line)
            back += 1
        made += (Line(text) for text in texts[front : len(texts) - back])
        return made + tail[::-1]


_NOTHING = Line("")
PERHAPS_NOTHING = Line("")
_ENDS = (_NOTHING, PERHAPS_NOTHING)
