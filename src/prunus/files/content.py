"""What is known of one file: its lines in order, some of them perhaps unknown.

A line keeps its identity while it moves, so that it can be told later which lines of an old read are still there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from prunus.files.likeness import apart, resembles
from prunus.files.lines import MOST, Line, Patience, fitting

__all__ = ["Content", "Line", "split"]


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
        new = self._kept(self.lines, texts)
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

    def replace(
        self, old: str, new: str, every: bool = False, loose: bool = False, patience: Patience | None = None
    ) -> list[Line] | None:
        """Put one text in the place of another; None if that cannot have happened here.

        The tool has made sure that the old text stands there, and only once unless every occurrence is replaced.
        Where it may stand among unknown lines, every line that may have been changed or moved becomes unknown. A
        loose tool also takes what only looks like the old text.
        """
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
        if not old:
            if self.length == 0 or self.blank:
                return self.write(new)
            return None
        pieces = self._pieces()
        patience = patience or Patience(len(pieces) + old.count("\n"))
        sure, perhaps = self._places(pieces, old.split("\n"), patience)
        if patience.over:
            self.forget()
            return []
        if every:
            return self._replace_every(pieces, old, new, sure, perhaps)
        size = old.count("\n") + 1
        if size > 1:
            sure = apart(sure, size, len(old.rsplit("\n", 1)[1]))
        if len(sure) > 1:
            return None
        if sure:
            at, column = sure[0]
            if over := [place for place in perhaps if at - size < place < at]:
                # Tools count what overlaps once, and take what comes first.
                self.disturb([*over, at], size, new.count("\n") - size + 1, pieces)
                return []
            return self._replace_at(pieces, at, column, old, new)
        if (not perhaps and self.length is not None) or (
            loose and resembles([None if piece is None else piece.text for piece in pieces], old)
        ):
            return None
        if len(perhaps) == 1 and self.length is not None:
            return self._replace_within_unknown(pieces, perhaps[0], old, new)
        shift = new.count("\n") - old.count("\n")
        self.disturb(perhaps, old.count("\n") + 1, shift, pieces)
        return []

    def splice(self, start: int, removed: int, texts: Sequence[str]) -> list[Line]:
        """Put lines in the place of others, by number."""
        at = start - 1
        if at + max(removed, len(texts)) > MOST:
            self.forget()
            return []
        if len(self.lines) < at + removed:
            self.lines += [None] * (at + removed - len(self.lines))
        new = self._kept(self.lines[at : at + removed], texts)
        self.lines[at : at + removed] = new
        if self.length is not None:
            self.length = len(self.lines)
        return new

    def disturb(
        self, places: Sequence[int], size: int, shift: int, pieces: list[Line | None] | None = None
    ) -> None:
        """Something of `size` lines changed at one of these places, or behind all lines that are held."""
        pieces = self._pieces() if pieces is None else pieces
        self.losses += 1
        if shift == 0:
            for place in places:
                for at in range(place, min(place + size, len(pieces))):
                    pieces[at] = None
            self._take(pieces)
            return
        first = min(places, default=len(pieces))
        last = max(places, default=0) + size
        if self.length is None:
            del self.lines[first:]
            return
        between: list[Line | None] = [None] * max(last - first + shift, 0)
        self._take(pieces[:first] + between + pieces[last:])

    def _pieces(self) -> list[Line | None]:
        """The text as what stands between its line breaks; behind the last one may be nothing."""
        if self.length is None or self.ended is False or (self.ended is None and self.length == 0):
            return list(self.lines)
        return [*self.lines, _NOTHING if self.ended else _PERHAPS_NOTHING]

    def _take(self, pieces: list[Line | None]) -> None:
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
        if last is _PERHAPS_NOTHING and (before is None or before.text == ""):
            # What looks like an empty last line may be the end of the one before.
            self.lines, self.ended, self.length = pieces[:-2], None, None
            self.losses += 1
            return
        ended = None if last is _PERHAPS_NOTHING else last.text == ""
        self.lines = pieces[:-1] if last.text == "" else pieces
        self.length = len(self.lines)
        self.ended = ended if self.lines else None

    def _places(
        self, pieces: list[Line | None], old: list[str], patience: Patience
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Where a text certainly stands, as line and column, and at which lines it may stand."""
        sure: list[tuple[int, int]] = []
        perhaps: list[int] = []
        if len(old) == 1:
            patience.left -= len(pieces) // 4
            for at, line in enumerate(pieces):
                if line is None:
                    perhaps.append(at)
                    continue
                column = line.text.find(old[0])
                while column >= 0:
                    sure.append((at, column))
                    column = line.text.find(old[0], column + len(old[0]))
            return sure, perhaps
        first, *middle, last = old
        places = range(1, 1 + len(pieces) - (0 if self.length is None else len(old) - 1))
        for below in fitting(pieces, middle, places, patience):
            at, end = below - 1, below + len(middle)
            line, behind = pieces[at], pieces[end] if end < len(pieces) else None
            if line is not None and not line.text.endswith(first):
                continue
            if behind is not None and not behind.text.startswith(last):
                continue
            if line is None or behind is None or behind is _PERHAPS_NOTHING or None in pieces[below:end]:
                perhaps.append(at)
            else:
                sure.append((at, len(line.text) - len(first)))
        return sure, perhaps

    def _replace_at(self, pieces: list[Line | None], at: int, column: int, old: str, new: str) -> list[Line]:
        size = old.count("\n") + 1
        first, last = pieces[at], pieces[at + size - 1]
        assert first is not None and last is not None
        front = first.text[:column]
        back = last.text[column + len(old) if size == 1 else len(old.rsplit("\n", 1)[1]) :]
        made = self._kept(pieces[at : at + size], (front + new + back).split("\n"))
        pieces[at : at + size] = made
        self._take(pieces)
        return made

    def _replace_within_unknown(self, pieces: list[Line | None], at: int, old: str, new: str) -> list[Line]:
        """The only place where the old text can stand holds unknown lines: their ends stay unknown."""
        size = old.count("\n") + 1
        first, last = pieces[at], pieces[at + size - 1]
        texts = new.split("\n")
        made: list[Line | None] = [Line(text) for text in texts]
        if size == 1 or first is None:
            made[0] = None
        else:
            front = first.text[: len(first.text) - len(old.split("\n", 1)[0])]
            made[0] = Line(front + texts[0])
        if last is None or size == 1:
            made[-1] = None
        elif len(made) > 1 or made[0] is not None:
            back = last.text[len(old.rsplit("\n", 1)[1]) :]
            end = made[-1]
            made[-1] = Line((end.text if end is not None else "") + back)
        pieces[at : at + size] = made
        self.losses += None in made
        self._take(pieces)
        return [line for line in made if line is not None]

    def _replace_every(
        self,
        pieces: list[Line | None],
        old: str,
        new: str,
        sure: list[tuple[int, int]],
        perhaps: list[int],
    ) -> list[Line] | None:
        if not sure and not perhaps and self.length is not None:
            return None
        if "\n" not in old and "\n" not in new:
            made = []
            for at in dict.fromkeys(place for place, _ in sure):
                line = pieces[at]
                assert line is not None
                made.append(Line(line.text.replace(old, new)))
                pieces[at] = made[-1]
            self._take(pieces)
            return made
        size = old.count("\n") + 1
        separate = all(after[0] >= before[0] + size for before, after in pairwise(sure))
        if separate and new.count("\n") + 1 == size:
            return self._replace_in_place(pieces, old, new, sure, perhaps)
        if perhaps or self.length is None:
            first = min([*perhaps, *(place for place, _ in sure), len(pieces)])
            self.lines, self.length, self.ended = pieces[:first], None, None
            self.losses += 1
            return []
        before = set(map(id, pieces))
        self._replace_each(pieces, old, new, sure)
        made = [line for line in pieces if line is not None and id(line) not in before]
        self._take(pieces)
        return made

    def _replace_each(self, pieces: list[Line | None], old: str, new: str, sure: list[tuple[int, int]]) -> None:
        """Put a text in its places, from the last one up, as lines below a place move."""
        size = old.count("\n") + 1
        end = len(old.rsplit("\n", 1)[-1])
        places = sorted({(at, 0) for at, _ in sure}) if size == 1 else apart(sure, size, end)
        for at, column in reversed(places):
            first, last = pieces[at], pieces[at + size - 1]
            assert first is not None and last is not None
            text = first.text.replace(old, new) if size == 1 else first.text[:column] + new + last.text[end:]
            pieces[at : at + size] = self._kept(pieces[at : at + size], text.split("\n"))

    def _replace_in_place(
        self,
        pieces: list[Line | None],
        old: str,
        new: str,
        sure: list[tuple[int, int]],
        perhaps: list[int],
    ) -> list[Line]:
        """Where as many lines come as go, none moves."""
        size = old.count("\n") + 1
        made: list[Line] = []
        unsure = list(perhaps)
        for at, column in sure:
            if bisect_left(perhaps, at) > bisect_left(perhaps, at - size + 1):
                unsure.append(at)
                continue
            first, last = pieces[at], pieces[at + size - 1]
            assert first is not None and last is not None
            back = last.text[len(old.rsplit("\n", 1)[1]) :]
            new_lines = [Line(text) for text in (first.text[:column] + new + back).split("\n")]
            pieces[at : at + size] = new_lines
            made += new_lines
        for place in unsure:
            end = min(place + size, len(pieces))
            self.losses += any(pieces[place:end])
            pieces[place:end] = [None] * (end - place)
        self._take(pieces)
        return made

    @staticmethod
    def _kept(before: Sequence[Line | None], texts: Sequence[str]) -> list[Line]:
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
_PERHAPS_NOTHING = Line("")
_ENDS = (_NOTHING, _PERHAPS_NOTHING)
