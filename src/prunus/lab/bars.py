"""Horizontal bars with names and values, as HTML: names and values wrap, so that none runs off the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

BARS_STYLE: Final = """
.bars { display: grid; gap: .5rem; max-width: 760px }
.bars > div { display: grid; grid-template-columns: minmax(0, 11rem) minmax(0, 1fr) minmax(0, 12rem); gap: 0 .8rem;
  align-items: center }
.bars span { overflow-wrap: anywhere; line-height: 1.3 } .bars .words { color: var(--faint) }
@media (max-width: 40rem) {
  .bars > div { grid-template-columns: minmax(0, 1fr) auto } .bars svg { grid-column: 1 / -1; grid-row: 2 }
}
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar, or two bars on top of each other, with a name and a text."""

    name: str
    length: float
    """Its length; 1 is the whole."""
    words: str
    before: float | None = None
    """The length of a second bar above it."""


def bars(title: str, rows: Sequence[Bar], *, even: bool = False) -> str:
    """Return a heading and the bars; `even` shows the length of 1 behind each bar. Nothing for no bars."""
    if not rows:
        return ""
    longest = max(1.0, *(row.length for row in rows))
    drawn = "".join(
        f'<div><span>{escape(row.name)}</span><svg width="100%" height="15" role="img" '
        f'aria-label="{escape(f"{row.name}: {row.words}")}">{_rects(row, longest, even)}</svg>'
        f'<span class="words">{escape(row.words)}</span></div>'
        for row in rows
    )
    return f'<h2>{escape(title)}</h2><div class="bars">{drawn}</div>'


def _rects(row: Bar, longest: float, even: bool) -> str:
    def width(length: float) -> str:
        return f"{100 * max(0.0, length) / longest:.2f}%"

    if row.before is not None:
        return (
            f'<rect class="before" width="{width(row.before)}" height="7"/>'
            f'<rect class="part" y="8" width="{width(row.length)}" height="7"/>'
        )
    whole = f'<rect class="whole" width="{width(1.0)}" height="15"/>' if even else ""
    line = f'<line class="even" x1="{width(1.0)}" x2="{width(1.0)}" y1="0" y2="15"/>' if even else ""
    return f'{whole}<rect class="part" width="{width(row.length)}" height="15"/>{line}'
