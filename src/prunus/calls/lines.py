"""Which lines remain when a printed file is cut by head, tail or sed."""

from __future__ import annotations

from prunus.calls.meaning import Span


def first(span: Span, count: int) -> Span | None:
    """The first lines of what a span shows; None if they cannot be named."""
    if span.start < 0 or count < 1:
        return None
    end = span.start + count - 1
    return Span(span.start, end if span.end is None else min(end, span.end))


def last(span: Span, count: int) -> Span | None:
    """The last lines of what a span shows.

    Where the file is shorter than the span, more lines are shown than are named here, never fewer.
    """
    if count < 1:
        return None
    if span.end is None:
        if span.start < 0:
            return Span(max(span.start, -count), None)
        return Span(-count, None) if span.full else None
    return Span(max(span.start, span.end - count + 1), span.end)


def skip(span: Span, count: int) -> Span | None:
    """What a span shows without its first lines."""
    if span.start < 0:
        return None
    start = span.start + max(count, 0)
    if span.end is not None and start > span.end:
        return None
    return Span(start, span.end)


def within(span: Span, part: Span) -> Span | None:
    """Lines of a printed text, as lines of the file that it came from."""
    if part.start < 0:
        return last(span, -part.start)
    rest = skip(span, part.start - 1)
    if rest is None or part.end is None:
        return rest
    return first(rest, part.end - part.start + 1)
