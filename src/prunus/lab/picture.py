"""Plot effective cost against lost events, with a point for each policy and a panel for each price.

The page is one HTML file with inline SVG. It needs neither scripts nor the network. No name covers another name, a
point or a line: for each point some places are tried, the nearest first: beside, above, below, and then further
away with a thin line to the point. The first place that is free is taken; if none is, the one that covers least.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import hypot
from typing import Final, Literal

from prunus.lab.page import LOOK, html_page, html_table
from prunus.lab.summary import Summary, table
from prunus.settings.presets import LEVELS

WIDTH: Final = 520
HEIGHT: Final = 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 48, 44
_COSTS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
_LOST: Final = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
OURS: Final = ("auto", *LEVELS)
"""Prunus at its levels; a line joins them."""
_STYLE: Final = """body { max-width: 1320px }
svg { max-width: 100%; height: auto } .panels { display: flex; flex-wrap: wrap; gap: 1rem }
text { fill: var(--ink); font: 11px system-ui, sans-serif } .tick { fill: var(--faint) }
.grid { stroke: var(--grid) } .even { stroke: var(--faint); stroke-dasharray: 3 3 }
.leader { stroke: var(--faint); stroke-width: .7 }
.line { fill: none; stroke: var(--mark); stroke-width: 1.5 }
circle { fill: var(--faint) } .ours circle { fill: var(--mark) } .ours text { font-weight: 600 }
table { margin-top: 1.5rem }
"""
_LETTER_WIDTH: Final = 6.4
"""The width of a letter in pixels, rather too large than too small."""
_LABEL_HEIGHT: Final = 12.0
_DOT_ROOM: Final = 6.0
"""Half of the room that a point takes."""
_NEAR: Final = 9.0
"""How far a label is from its point, if it stands beside it."""
_FAR: Final = (18.0, 28.0, 40.0, 54.0)
_WAYS: Final = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
Box = tuple[float, float, float, float]
"""The left, top, right and bottom edge of a rectangle."""
_FRAME: Final = (_LEFT, _TOP - 6, WIDTH - 2, HEIGHT - _BOTTOM)
"""The room in which labels may stand."""


def picture(summaries: Sequence[Summary], title: str = "Cost against loss") -> str:
    """Return the page for these summaries."""
    panels: dict[str, list[Summary]] = {}
    for one in summaries:
        panels.setdefault(one.prices, []).append(one)
    drawn = "\n".join(_panel(prices, points) for prices, points in panels.items())
    counted = max((one.conversations for one in summaries), default=0)
    asked = max((one.requests for one in summaries), default=0)
    shown = html_table(*table(summaries)) if summaries else ""
    content = f"""\
<p>{counted:,} conversations, {asked:,} requests. Further left is cheaper, higher loses less. Cost is what the input
costs with a prompt cache, as a share of not pruning, with one more request for each part that has to be read
again. A request is lost if its answer edits lines that were cut.</p>
<div class="panels">
{drawn}
</div>
{shown}"""
    return html_page(title, _STYLE, content)


def panel(summaries: Sequence[Summary], prices: str) -> str:
    """Return the panel of one price as an SVG file of its own."""
    drawn = _panel(prices, [one for one in summaries if one.prices == prices])
    style = f'<style>{LOOK}{_STYLE}</style><rect width="{WIDTH}" height="{HEIGHT}" style="fill: var(--paper)"/>'
    head, rest = drawn.split(">", 1)
    return f'{head} xmlns="http://www.w3.org/2000/svg">{style}{rest}'


def _panel(prices: str, points: Sequence[Summary]) -> str:
    costs = [max(one.effective, 0.05) for one in points]
    low = max([tick for tick in _COSTS if tick < min([*costs, 0.95])], default=0.05)
    high = min([tick for tick in _COSTS if tick > max([*costs, 1.0])], default=max(costs) * 1.1)
    most = max([one.lost.value for one in points], default=0.0)
    floor = next((tick for tick in _LOST if tick > most), _LOST[-1])

    def x(cost: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * math.log(cost / low) / math.log(high / low)

    def y(lost: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * math.log1p(lost) / math.log1p(floor)

    lines = [f'<text x="{_LEFT}" y="18">read {escape(prices.replace("/", ", write "))}</text>']
    for tick in _COSTS:
        if low <= tick <= high:
            kind = "even" if tick == 1.0 else "grid"
            lines.append(
                f'<line class="{kind}" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM}"/>'
                f'<text class="tick" text-anchor="middle" x="{x(tick):.1f}" y="{HEIGHT - _BOTTOM + 15}">'
                f"{tick:g}</text>"
            )
    for tick in _LOST:
        if tick <= floor:
            lines.append(
                f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
                f'<text class="tick" text-anchor="end" x="{_LEFT - 6}" y="{y(tick) + 4:.1f}">{tick:g}</text>'
            )
    lines.append(f'<text class="tick" x="{_LEFT}" y="{HEIGHT - 8}">effective cost, share of not pruning</text>')
    lines.append(f'<text class="tick" x="6" y="{_TOP - 14}">lost per 1,000 requests</text>')
    points = sorted(points, key=lambda one: (one.effective, one.lost.value))
    placed = [(x(max(one.effective, 0.05)), y(min(one.lost.value, floor)), one) for one in points]
    ours = [(at, height) for at, height, one in placed if one.policy in OURS]
    joined = " ".join(f"{at:.1f},{height:.1f}" for at, height in sorted(ours, key=lambda spot: spot[1]))
    lines.append(f'<polyline class="line" points="{joined}"/>')
    spots = [Spot(at, height, one.policy) for at, height, one in placed]
    for (at, height, one), label in zip(placed, place_labels(spots, _along(ours), _FRAME), strict=True):
        kept = f"lost {one.lost} of 1,000 requests, hard {one.hard:.3f}, soft {one.in_place:.3f}"
        words = f"{one.policy}: cost {one.cost:.3f}, effective {one.effective:.3f}, {kept}, worst {one.worst:.2f}"
        leader = ""
        if label.leader is not None:
            end_x, end_y = label.leader
            leader = f'<line class="leader" x1="{at:.1f}" y1="{height:.1f}" x2="{end_x:.1f}" y2="{end_y:.1f}"/>'
        lines.append(
            f'<g class="{"ours" if one.policy in OURS else "other"}"><title>{escape(words)}</title>{leader}'
            f'<circle cx="{at:.1f}" cy="{height:.1f}" r="4.5"/>'
            f'<text text-anchor="{label.anchor}" x="{label.x:.1f}" y="{label.y:.1f}">'
            f"{escape(one.policy)}</text></g>"
        )
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">{"".join(lines)}</svg>'


def _along(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points along the line that joins these, so that labels keep off the line."""
    ordered = sorted(points, key=lambda point: point[1])
    steps = 8
    return [
        (x1 + (x2 - x1) * n / steps, y1 + (y2 - y1) * n / steps)
        for (x1, y1), (x2, y2) in pairwise(ordered)
        for n in range(1, steps)
    ]


def place_labels(spots: Sequence[Spot], avoided: Sequence[tuple[float, float]], frame: Box) -> list[Label]:
    """Return a label for each spot, in their order; labels keep off the `avoided` points of lines."""
    dots = [(spot.x - _DOT_ROOM, spot.y - _DOT_ROOM, spot.x + _DOT_ROOM, spot.y + _DOT_ROOM) for spot in spots]
    lines = [(x - 2, y - 2, x + 2, y + 2) for x, y in avoided]
    taken: list[Box] = []
    placed: dict[int, Label] = {}
    # Spots in a crowd have few free places, so they choose first.
    crowded = sorted(range(len(spots)), key=lambda n: -_neighbours(spots[n], spots))
    for n in crowded:
        others = [*(dot for m, dot in enumerate(dots) if m != n), *taken]
        costs = [
            (_covered(box, others) + 0.3 * _covered(box, lines) + _outside(box, frame), order, box, label)
            for order, (box, label) in enumerate(_places(spots[n]))
        ]
        _, _, box, placed[n] = min(costs, key=lambda cost: cost[:2])
        taken.append(box)
    return [placed[n] for n in range(len(spots))]


def _places(spot: Spot) -> Iterator[tuple[Box, Label]]:
    width = _LETTER_WIDTH * len(spot.name)
    for distance in (_NEAR, *_FAR):
        for across, down in _WAYS:
            step = distance if across and down else distance + (0 if across else 4)
            x = spot.x + across * step - (width if across < 0 else 0 if across > 0 else width / 2)
            middle = spot.y + down * step
            box = (x, middle - _LABEL_HEIGHT / 2, x + width, middle + _LABEL_HEIGHT / 2)
            near = distance == _NEAR and not (across and down)
            end = (min(max(spot.x, box[0]), box[2]), min(max(spot.y, box[1]), box[3]))
            anchor, at = _anchored(across, x, width)
            yield box, Label(at, middle + 4, anchor, None if near else end)


def _anchored(across: int, x: float, width: float) -> tuple[Literal["start", "middle", "end"], float]:
    """Return the end of a name that is next to its point: the width of a name is only an estimate."""
    if across > 0:
        return "start", x
    return ("end", x + width) if across < 0 else ("middle", x + width / 2)


def _covered(box: Box, others: Sequence[Box]) -> float:
    """Return how much of other boxes a box covers."""
    left, top, right, bottom = box
    return sum(
        max(0.0, min(right, x2) - max(left, x1)) * max(0.0, min(bottom, y2) - max(top, y1))
        for x1, y1, x2, y2 in others
    )


def _outside(box: Box, frame: Box) -> float:
    """Return how much of a box is outside of the frame; that is worse than to cover something."""
    beyond = (frame[0] - box[0], frame[1] - box[1], box[2] - frame[2], box[3] - frame[3])
    return 1_000 * sum(max(0.0, edge) for edge in beyond)


def _neighbours(spot: Spot, spots: Sequence[Spot]) -> int:
    return sum(hypot(other.x - spot.x, other.y - spot.y) < 60 for other in spots)


@dataclass(frozen=True, slots=True)
class Spot:
    """A point with a name."""

    x: float
    y: float
    name: str


@dataclass(frozen=True, slots=True)
class Label:
    """Where a name stands."""

    x: float
    y: float
    anchor: Literal["start", "middle", "end"] = "start"
    """Which part of the name is at `x`, as SVG calls it."""
    leader: tuple[float, float] | None = None
    """The end of a thin line from the point to the label, if they are apart."""
