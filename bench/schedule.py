"""What each choice of the schedule `cache` is worth: one thing changed at a time, on the dev sessions.

    python bench/schedule.py [SESSION ...]

Conversations of at least 15 requests of the six agents of `bench/lab.py`, at four prices. Changed are how many
requests are counted on (as many again as there were; the true number), the rule by which edits wait (a gain of 4
times the break, or any gain), and each setting, up and down. For each the cost against no pruning, the worst
session, hard retention, breaks per 100.

Then the table of lengths (`FITTED` in `schedule/cache.py`) as the dev sessions of all agents give it. Writes
bench/results/schedule.json; sessions that are given are measured alone, and nothing is written.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from measured import AGENTS, NOTHING, RESULTS, ROWS, SESSIONS, auto, figures, measured, pieces
from usage import show_help

from prunus import Pruner
from prunus.errors import FormatError
from prunus.lab.pool import spread
from prunus.lab.run import Measurement
from prunus.schedule.cache import FITTED, KNOWN, Cache
from prunus.schedule.plan import RequestState

DIGITS = {"cost": 4, "worst": 4, "hard": 4, "breaks": 4}


class AsManyAgain(Cache):
    """A conversation is taken to last as long again as before this request."""

    def to_come(self, requests: int) -> int:
        return min(requests, self.ahead)


@dataclass(frozen=True, slots=True)
class Ending(Cache):
    """It is known when the conversation ends."""

    length: int = 0

    def to_come(self, requests: int) -> int:
        return min(max(0, self.length - requests - 1), self.ahead)


class FourTimes(Cache):
    """What is saved until the end has to be 4 times the break, and so has what a deeper cut saves beyond."""

    def _worth(self, cut: Any, moment: RequestState) -> float:
        return float(cut.saving - 4 * cut.broken)


def schedules(length: int) -> dict[str, Cache]:
    """All that are compared, for a conversation of this length."""
    return {
        "auto": Cache(),
        "as many again": AsManyAgain(),
        "the true number": Ending(length=length),
        "gain of 4 times the break": FourTimes(),
        "break-even (patience 0)": Cache(patience=0.0),
        "patience 1": Cache(patience=1.0),
        "patience 2.5": Cache(patience=2.5),
        "stake 0.01": Cache(stake=0.01),
        "stake 0.06": Cache(stake=0.06),
        "care 0": Cache(care=0.0),
        "care 4": Cache(care=4.0),
    }


def scheduled(row: str, length: int) -> Iterator[tuple[str, Pruner]]:
    for name, schedule in schedules(length).items():
        yield name, Pruner(auto(row), schedule=schedule)


def lengths(path: Path) -> tuple[int, ...]:
    try:
        return tuple(len(one.requests) for one in pieces(path))
    except FormatError:
        return ()


def measure(path: Path) -> list[Measurement]:
    """What each schedule pays for the conversations of a recording."""
    return [
        found for one in pieces(path) for found in measured(one, ROWS, partial(scheduled, length=len(one.requests)))
    ]


def fitted(every: list[int]) -> list[tuple[int, int]]:
    """How many more requests those sent on average that came as far."""
    ends = (*(first for first, _ in FITTED), KNOWN)
    after = {n: mean([length - n for length in every if length >= n] or [0]) for n in range(KNOWN)}
    return [(low, round(mean(after[n] for n in range(low, high)))) for low, high in pairwise(ends)]


def main(given: list[str]) -> None:
    begun = time.perf_counter()
    every = sorted(path.resolve() for path in SESSIONS.rglob("*.gz"))
    paths = [Path(path).resolve() for path in given] or [path for path in every if path.parent.name in AGENTS]
    found = [one for some in spread(measure, paths) for one in some]
    if not found:
        print(NOTHING)
        return
    costs: dict[str, dict[str, dict[str, float]]] = {row: {} for row in ROWS}
    for row, of_row in costs.items():
        print(f"\n{row:26}    cost   worst    hard  breaks")
        for name in schedules(0):
            shown = of_row[name] = figures(found, row, name, DIGITS)
            print("{:26} {cost:7.4f} {worst:7.3f} {hard:7.4f} {breaks:7.1f}".format(name, **shown))
    after = fitted([n for some in spread(lengths, every, quiet=True) for n in some])
    print("\nRequests that follow, by those so far:", ", ".join(f"{n}: {more}" for n, more in after))
    print(f"{len(paths)} files, {time.perf_counter() - begun:.0f} s")
    if not given:
        written = json.dumps({"costs": costs, "fitted": after}, indent=1)
        (RESULTS / "schedule.json").write_text(written + "\n")


if __name__ == "__main__":
    show_help()
    main(sys.argv[1:])
