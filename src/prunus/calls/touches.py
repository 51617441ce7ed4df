"""Files that a call touches, and which of their lines."""

from __future__ import annotations

from typing import Literal

from prunus.value import value

TouchKind = Literal["read", "write", "edit", "change"]


@value
class Span:
    """Lines of a file, counted from 1, both ends included.

    An end of None is the end of the file. A negative start counts from the end: the last twenty lines are
    Span(-20, None).
    """

    start: int = 1
    end: int | None = None

    @property
    def full(self) -> bool:
        """Whether this is the whole file."""
        return self.start == 1 and self.end is None

    def covers(self, other: Span) -> bool:
        """Whether every line of the other span is certainly within this one."""
        if self.full:
            return True
        if self.start < 0 or other.start < 0:
            return self.end is None and self.start < 0 and self.start <= other.start < 0
        if self.start > other.start:
            return False
        return self.end is None or (other.end is not None and other.end <= self.end)

    def first(self, count: int) -> Span | None:
        """The first lines of this span; None if their numbers are not known."""
        if self.start < 0 or count < 1:
            return None
        end = self.start + count - 1
        return Span(self.start, end if self.end is None else min(end, self.end))

    def last(self, count: int) -> Span | None:
        """The last lines of this span; None if their numbers are not known.

        If the file is shorter than the span, the result names fewer lines than are shown, never more.
        """
        if count < 1:
            return None
        if self.end is None:
            if self.start < 0:
                return Span(max(self.start, -count), None)
            return Span(-count, None) if self.full else None
        return Span(max(self.start, self.end - count + 1), self.end)

    def skip(self, count: int) -> Span | None:
        """This span without its first lines; None if nothing is left or the numbers are not known."""
        if self.start < 0:
            return None
        start = self.start + max(count, 0)
        if self.end is not None and start > self.end:
            return None
        return Span(start, self.end)

    def part(self, lines: Span) -> Span | None:
        """Lines counted within a printout of this span, as lines of the file."""
        if lines.start < 0:
            return self.last(-lines.start)
        rest = self.skip(lines.start - 1)
        if rest is None or lines.end is None:
            return rest
        return rest.first(lines.end - lines.start + 1)


FULL = Span()


@value
class Touch:
    """One file that a call reads or changes.

    A write gives the whole new content and an edit gives a part of it. A change is one whose result the call does
    not show, such as `sed -i` or `git checkout`.
    """

    path: str
    kind: TouchKind
    span: Span = FULL
