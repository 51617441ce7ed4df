"""Draws the bill of one recorded session, with and without Prunus, for the first screen of the README."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 150, 20, 44
STYLE = """
:root { color-scheme: light dark;
  --ink: #1c2024; --faint: #69717a; --grid: #e3e6ea; --paper: #fff; --mark: #b03060; --gain: #b0306022 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --faint: #98a1aa; --grid: #30363c; --paper: #16191c; --mark: #ff7aa8; --gain: #ff7aa826 }
}
text { fill: var(--ink); font: 13px system-ui, sans-serif } .tick { fill: var(--faint); font-size: 12px }
.grid { stroke: var(--grid) } .gain { fill: var(--gain) }
.before { fill: none; stroke: var(--faint); stroke-width: 2 }
.after { fill: none; stroke: var(--mark); stroke-width: 2.5 }
.big { font-weight: 600 } .mark { fill: var(--mark) }
"""


def bill_picture(bill: Mapping[str, Any]) -> str:
    """Return the picture as an SVG file."""
    top = _round_up(bill["unpruned"][-1])
    last = bill["requests"]

    def place(at: float, dollars: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * at / last
        return round(x, 1), round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * dollars / top, 1)

    before = [place(at, dollars) for at, dollars in zip(bill["at"], bill["unpruned"], strict=True)]
    after = [place(at, dollars) for at, dollars in zip(bill["at"], bill["pruned"], strict=True)]
    paid, unpruned = bill["pruned"][-1], bill["unpruned"][-1]
    told = f"Input of one session, {last} requests: ${unpruned:.2f} without Prunus, ${paid:.2f} with it"
    pieces = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="{told}" '
        f'xmlns="http://www.w3.org/2000/svg"><style>{STYLE}</style>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" style="fill: var(--paper)"/>',
    ]
    for part in range(5):
        dollars = top * part / 4
        x, y = place(0, dollars)
        pieces.append(f'<line class="grid" x1="{x}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        pieces.append(f'<text class="tick" x="{LEFT - 8}" y="{y + 4}" text-anchor="end">${dollars:g}</text>')
    for at in range(0, last + 1, int(_round_up(last / 6))):
        x, y = place(at, 0)
        pieces.append(f'<text class="tick" x="{x}" y="{y + 18}" text-anchor="middle">{at}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    pieces.append(f'<text class="tick" x="{middle:g}" y="{HEIGHT - 8}" text-anchor="middle">requests so far</text>')
    area = _points([*before, *reversed(after)])
    pieces.append(f'<polygon class="gain" points="{area}"/>')
    pieces.append(f'<polyline class="before" points="{_points(before)}"/>')
    pieces.append(f'<polyline class="after" points="{_points(after)}"/>')
    for (x, y), amount, words, style in (
        (before[-1], unpruned, "without Prunus", ""),
        (after[-1], paid, "with Prunus", " mark"),
    ):
        pieces.append(f'<text class="big{style}" x="{x + 10:g}" y="{y + 1:g}">${amount:.2f}</text>')
        pieces.append(f'<text class="tick" x="{x + 10:g}" y="{y + 17:g}">{words}</text>')
    return "".join(pieces) + "</svg>\n"


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in places)


def _round_up(amount: float) -> float:
    """The next round number at or above an amount, for the axis."""
    size = 10.0 ** (len(str(int(amount))) - 1) if amount >= 1 else 0.1
    return next(step * size for step in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10) if step * size >= amount)
