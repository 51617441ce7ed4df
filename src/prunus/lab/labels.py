"""Names beside the points of a plot, so that no name covers another name, a point or a line.

For each point some places are tried, the nearest first: beside, above, below, and then further away with a thin
line to the point. The first place that is free is taken; if none is, the one that covers least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Final, Literal

_LETTER: Final = 6.4
"""The width of a letter in pixels, rather too large than too small."""
_HEIGHT: Final = 12.0
_DOT: Final = 6.0
"""Half of the room that a point takes."""
_NEAR: Final = 9.0
"""How far a label is from its point, if it stands beside it."""
_FAR: Final = (18.0, 28.0, 40.0, 54.0)
_WAYS: Final = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))


@dataclass(frozen=True, slots=True)
class Spot:
    """A point with a name."""

    x: float
    y: float
    name: str


@dataclass(frozen=True, slots=True)
class LabelFrame:
    """The room in which labels may stand."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Label:
    """Where a name stands."""

    x: float
    y: float
    anchor: Literal["start", "middle", "end"] = "start"
    """Which part of the name is at `x`, as SVG calls it."""
    leader: tuple[float, float] | None = None
    """The end of a thin line from the point to the label, if they are apart."""


_Box = tuple[float, float, float, float]


def place_labels(spots: Sequence[Spot], avoided: Sequence[tuple[float, float]], frame: LabelFrame) -> list[Label]:
    """Return a label for each spot, in their order; labels keep off the `avoided` points of lines."""
    dots = [(spot.x - _DOT, spot.y - _DOT, spot.x + _DOT, spot.y + _DOT) for spot in spots]
    lines = [(x - 2, y - 2, x + 2, y + 2) for x, y in avoided]
    taken: list[_Box] = []
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


def _places(spot: Spot) -> Iterator[tuple[_Box, Label]]:
    width = _LETTER * len(spot.name)
    for distance in (_NEAR, *_FAR):
        for across, down in _WAYS:
            step = distance if across and down else distance + (0 if across else 4)
            x = spot.x + across * step - (width if across < 0 else 0 if across > 0 else width / 2)
            middle = spot.y + down * step
            box = (x, middle - _HEIGHT / 2, x + width, middle + _HEIGHT / 2)
            near = distance == _NEAR and not (across and down)
            end = (min(max(spot.x, box[0]), box[2]), min(max(spot.y, box[1]), box[3]))
            anchor, at = _anchored(across, x, width)
            yield box, Label(at, middle + 4, anchor, None if near else end)


def _anchored(across: int, x: float, width: float) -> tuple[Literal["start", "middle", "end"], float]:
    """Return the end of a name that is next to its point: the width of a name is only an estimate."""
    if across > 0:
        return "start", x
    return ("end", x + width) if across < 0 else ("middle", x + width / 2)


def _covered(box: _Box, others: Sequence[_Box]) -> float:
    """Return how much of other boxes a box covers."""
    left, top, right, bottom = box
    return sum(
        max(0.0, min(right, x2) - max(left, x1)) * max(0.0, min(bottom, y2) - max(top, y1))
        for x1, y1, x2, y2 in others
    )


def _outside(box: _Box, frame: LabelFrame) -> float:
    """Return how much of a box is outside of the frame; that is worse than to cover something."""
    left, top, right, bottom = box
    beyond = max(0.0, frame.left - left) + max(0.0, right - frame.right)
    return 1_000 * (beyond + max(0.0, frame.top - top) + max(0.0, bottom - frame.bottom))


def _neighbours(spot: Spot, spots: Sequence[Spot]) -> int:
    return sum(hypot(other.x - spot.x, other.y - spot.y) < 60 for other in spots)
