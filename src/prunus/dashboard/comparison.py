"""A text before and after a cut, side by side, with the lines that went marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from prunus.dashboard.markup import Child, Markup, element

_LINES: Final = 1_200
"""Lines of a text that are shown; of a longer one the first and the last."""
_LENGTH: Final = 2_000
"""Characters of a line that are shown."""

Fate = Literal["kept", "cut", "new"]


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line, and what became of it."""

    number: int
    text: str
    fate: Fate


def mark_lines(before: str, after: str) -> tuple[list[MarkedLine], list[MarkedLine]]:
    """Return the lines of both texts: which of the old ones went, and which of the new ones are new.

    A cut keeps the order of the lines, so one walk over both texts is enough, however long they are.
    """
    old, new = before.splitlines(), after.splitlines()
    left = Counter(old)
    at = 0
    olds: list[MarkedLine] = []
    news: list[MarkedLine] = []
    for n, line in enumerate(new, 1):
        if not left[line]:
            news.append(MarkedLine(n, line, "new"))
            continue
        while old[at] != line:
            olds.append(MarkedLine(at + 1, old[at], "cut"))
            left[old[at]] -= 1
            at += 1
        olds.append(MarkedLine(at + 1, line, "kept"))
        news.append(MarkedLine(n, line, "kept"))
        left[line] -= 1
        at += 1
    olds += (MarkedLine(n + 1, old[n], "cut") for n in range(at, len(old)))
    return olds, news


def side_by_side(before: str, after: str, *, left: str, right: str) -> Markup:
    """Return both texts with a heading for each."""
    olds, news = mark_lines(before, after)
    return element(
        "div",
        element("figure", element("figcaption", left), _lines(olds, left)),
        element("figure", element("figcaption", right), _lines(news, right)),
        class_="sides",
    )


def _lines(lines: Sequence[MarkedLine], label: str) -> Markup:
    if not lines:
        return element("p", "Nothing.", class_="empty")
    return element("ol", _items(lines), class_="lines", tabindex=0, aria_label=label)


def _items(lines: Sequence[MarkedLine]) -> Iterator[Child]:
    shown = lines if len(lines) <= _LINES else lines[: _LINES // 2]
    yield from map(_item, shown)
    if len(lines) > _LINES:
        hidden = len(lines) - 2 * (_LINES // 2)
        yield element("li", f"{hidden:,} lines are not shown here.", class_="gap")
        yield from map(_item, lines[-(_LINES // 2) :])


def _item(line: MarkedLine) -> Markup:
    words = line.text if len(line.text) <= _LENGTH else f"{line.text[:_LENGTH]}…"
    name = {"cut": "del", "new": "ins", "kept": "span"}[line.fate]
    return element("li", element(name, words or " "), class_=line.fate, value=line.number)
