"""What is known of one file: its lines in order, some of them perhaps unknown.

A line keeps its identity while it moves, so that the lines of an old read that are still there
can be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

MOST: Final = 20_000
"""Lines of the longest file that is followed. A number in a call or a result must not decide how much is held."""


class Line:
    """One known line of a file."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Patience:
    """How many lines may still be compared for one edit of a file with so many lines.

    Thousands of equal lines may stand in a file of equal lines nearly everywhere. No agent writes such an edit, so
    nobody has to wait until every place is known.
    """

    __slots__ = ("left",)

    def __init__(self, lines: int) -> None:
        self.left = 20_000 + 20 * lines

    @property
    def over(self) -> bool:
        """Whether the search was given up: what it found so far is not all."""
        return self.left < 0


def fitting(
    held: Sequence[Line | None],
    wanted: Sequence[str],
    places: range,
    patience: Patience,
    same: Callable[[str], str] = str,
) -> Iterator[int]:
    """Each of the places where no known line differs from the wanted ones; behind the last line anything may be.

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


def without_overlaps(places: Sequence[tuple[int, int]], size: int, end: int) -> list[tuple[int, int]]:
    """Places of a text of several lines without those that overlap an earlier one, which tools do not count."""
    found: list[tuple[int, int]] = []
    for place in places:
        if not found or place >= (found[-1][0] + size - 1, end):
            found.append(place)
    return found


def resembles(lines: Iterable[str | None], old: str) -> bool:
    """Whether known lines look like a text that is not among them."""
    wanted = [line.strip() for line in old.strip().split("\n")]
    held = [None if line is None else line.strip() for line in lines]
    if len(wanted) > 1 and wanted[0] in held and wanted[-1] in held[held.index(wanted[0]) + 1 :]:
        return True
    plain = "\n".join("\0" if text is None else text for text in held)
    return " ".join(old.split()) in " ".join(plain.split())


def split(text: str) -> tuple[list[str], bool]:
    """The lines of a text, and whether the last one ends with a line break."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    ended = lines[-1] == ""
    return (lines[:-1] if ended else lines), ended


class Content:
    """The lines of a file as far as they are certain.

    Where the length is not known, lines may follow behind the last one that is held here.
    """

    __slots__ = ("ended", "length", "lines", "losses")

    def __init__(self) -> None:
        self.lines: list[Line | None] = []
        self.losses = 0
        """How often lines became unknown, rather than gave way to others that are known."""
        self.length: int | None = None
        self.ended: bool | None = None
        """Whether the last line ends with a line break."""

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
        """Whether these lines stand here one after another; empty ones at the end do not count."""
        wanted = list(texts)
        while wanted and not wanted[-1]:
            wanted.pop()
        places = range(len(self.lines) - len(wanted) + 1)
        found = fitting(self.lines, wanted, places, Patience(len(self.lines) + len(wanted)))
        return any(None not in self.lines[at : at + len(wanted)] for at in found)

    def forget(self) -> None:
        """From now on nothing is known."""
        self.lines, self.length, self.ended = [], None, None
        self.losses += 1

    def set_aside(self) -> Content:
        """What is known, for later; here nothing is known any more."""
        held = Content()
        held.take_back(self)
        self.forget()
        return held

    def take_back(self, held: Content) -> None:
        """From now on this holds again."""
        self.lines, self.length, self.ended = held.lines, held.length, held.ended

    def write(self, text: str) -> list[Line]:
        """The whole file is this text now."""
        texts, ended = split(text)
        if len(texts) > MOST:
            self.forget()
            return []
        new = self.kept(self.lines, texts)
        self.lines = list(new)
        self.length, self.ended = len(texts), ended if texts else None
        return new

    def agrees(self, start: int, texts: Sequence[str | None], total: int | None = None) -> bool:
        """Whether what is shown contradicts nothing that is known."""
        end = start - 1 + len(texts)
        if self.length is not None and (end > self.length or (total is not None and total != self.length)):
            return False
        if total is not None and any(line is not None for line in self.lines[total:]):
            return False
        held = self.lines[start - 1 : end]
        return all(
            line is None or text is None or line.text == text for line, text in zip(held, texts, strict=False)
        )

    def learn(
        self, start: int, texts: Sequence[str | None], total: int | None = None, ended: bool | None = None
    ) -> list[Line | None]:
        """Take over lines that were shown; what was known stays, so it has to agree."""
        end = start - 1 + len(texts)
        if max(end, total or 0) > MOST:
            self.forget()
            return []
        if len(self.lines) < end:
            self.lines += [None] * (end - len(self.lines))
        for at, text in enumerate(texts, start - 1):
            if text is not None and self.lines[at] is None:
                self.lines[at] = Line(text)
        if total is not None:
            self.length = total
            del self.lines[total:]
            self.lines += [None] * (total - len(self.lines))
            self.ended = ended if ended is not None else self.ended
        return self.lines[start - 1 : end]

    def splice(self, start: int, removed: int, texts: Sequence[str]) -> list[Line]:
        """Put lines in the place of others, by number."""
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
        """Something of `size` lines changed at one of these places, or behind all lines that are held."""
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
        """The text as what stands between its line breaks; behind the last one may be nothing."""
        if self.length is None or self.ended is False or (self.ended is None and self.length == 0):
            return list(self.lines)
        return [*self.lines, _NOTHING if self.ended else PERHAPS_NOTHING]

    def take(self, pieces: list[Line | None]) -> None:
        if len(pieces) > MOST:
            self.forget()
            return
        if self.length is None:
            if pieces and (end := pieces[-1]) is not None and end.text == "":
                # The file may end here, and then this is no line.
                pieces.pop()
            self.lines = pieces
            return
        last = pieces[-1] if pieces else _NOTHING
        if last is None:
            self.lines, self.ended, self.length = pieces, None, None
            return
        before = pieces[-2] if len(pieces) > 1 else last
        if last is PERHAPS_NOTHING and (before is None or before.text == ""):
            # What looks like an empty last line may be the end of the one before.
            self.lines, self.ended, self.length = pieces[:-2], None, None
            self.losses += 1
            return
        ended = None if last is PERHAPS_NOTHING else last.text == ""
        self.lines = pieces[:-1] if last.text == "" else pieces
        self.length = len(self.lines)
        self.ended = ended if self.lines else None

    @staticmethod
    def kept(before: Sequence[Line | None], texts: Sequence[str]) -> list[Line]:
        """Lines of these texts; those at both ends that were there before stay the same lines."""
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
