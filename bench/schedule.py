"""What each choice of the schedule `cache` is worth: one thing changed at a time, on the dev sessions.

    python bench/schedule.py [SESSION ...]

Conversations of at least 15 requests of the six agents of `bench/lab.py`, at four prices. Changed are how many
requests are counted on (as many again as there were; with the other sessions of the same agent as past
conversations; the true number), the rule by which edits wait (a gain of 4 times the break, or any gain), and each
setting, up and down. For each the cost against no pruning, the worst session, hard retention, breaks per 100.

Then the table of lengths (`PRIOR` in `policy/requests.py`) as the dev sessions of all agents give it. Writes
bench/results/schedule.json; sessions that are given are measured alone, and nothing is written.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from measured import AGENTS, NOTHING, RESULTS, ROWS, SESSIONS, Measured, auto, figures, measured, pieces

from prunus import Pruner
from prunus.edits import Edit
from prunus.errors import FormatError
from prunus.lab.pool import spread
from prunus.policy.prices import Price
from prunus.policy.requests import KNOWN, PRIOR, Requests
from prunus.policy.schedule import Cache, Moment, Plan

DIGITS = {"cost": 4, "worst": 4, "hard": 4, "breaks": 4}


class AsManyAgain(Requests):
    """A conversation is taken to last as long again as before this request."""

    def to_come(self, so_far: int, bound: int) -> int:
        return min(so_far - 1, bound)


@dataclass(frozen=True, slots=True)
class Ending(Requests):
    """It is known when the conversation ends."""

    length: int = 0

    def to_come(self, so_far: int, bound: int) -> int:
        return min(max(0, self.length - so_far), bound)


@dataclass(frozen=True, slots=True)
class Told(Cache):
    """The schedule, told something else about the requests to come."""

    told: Requests = field(default_factory=Requests)

    def takes(self, edit: Edit, price: Price, requests: int, past: Requests) -> bool:
        return Cache.takes(self, edit, price, requests, self.told)

    def plan(self, moment: Moment) -> Plan:
        return Cache.plan(self, replace(moment, past=self.told))


class FourTimes(Cache):
    """What is saved until the end has to be 4 times the break, and so has what a deeper cut saves beyond."""

    def _worth(self, cut: Any, moment: Moment) -> float:
        return float(cut.saving - 4 * cut.broken)


def schedules(past: Requests, length: int) -> dict[str, Cache]:
    """All that are compared, for a conversation of this length and what is known of others."""
    return {
        "auto": Cache(),
        "as many again": Told(told=AsManyAgain()),
        "past conversations known": Told(told=past),
        "the true number": Told(told=Ending(length=length)),
        "gain of 4 times the break": FourTimes(),
        "break-even (patience 0)": Cache(patience=0.0),
        "patience 1": Cache(patience=1.0),
        "patience 2.5": Cache(patience=2.5),
        "stake 0.01": Cache(stake=0.01),
        "stake 0.06": Cache(stake=0.06),
        "care 0": Cache(care=0.0),
        "care 4": Cache(care=4.0),
    }


def scheduled(row: str, past: Requests, length: int) -> Iterator[tuple[str, Pruner]]:
    for name, schedule in schedules(past, length).items():
        yield name, Pruner(auto(row), schedule=schedule)


def lengths(path: Path) -> tuple[int, ...]:
    try:
        return tuple(len(one.requests) for one in pieces(path))
    except FormatError:
        return ()


def measure(path: Path, known: Mapping[Path, Sequence[int]]) -> list[Measured]:
    """What each schedule pays for the conversations of a recording."""
    others = (some for other, some in known.items() if other != path and other.parent == path.parent)
    past = Requests.of(n for some in others for n in some)
    return [
        found
        for one in pieces(path)
        for found in measured(one, ROWS, partial(scheduled, past=past, length=len(one.requests)))
    ]


def prior(every: list[int]) -> list[tuple[int, int]]:
    """How many more requests those sent on average that came as far."""
    ends = (*(first for first, _ in PRIOR), KNOWN)
    after = {n: mean([length - n for length in every if length >= n] or [0]) for n in range(KNOWN)}
    return [(low, round(mean(after[n] for n in range(low, high)))) for low, high in pairwise(ends)]


def main(given: list[str]) -> None:
    begun = time.perf_counter()
    every = sorted(path.resolve() for path in SESSIONS.rglob("*.gz"))
    paths = [Path(path).resolve() for path in given] or [path for path in every if path.parent.name in AGENTS]
    known = dict(zip(every, spread(lengths, every, quiet=True), strict=True))
    found = [one for some in spread(partial(measure, known=known), paths) for one in some]
    if not found:
        print(NOTHING)
        return
    costs: dict[str, dict[str, dict[str, float]]] = {row: {} for row in ROWS}
    for row, of_row in costs.items():
        print(f"\n{row:26}    cost   worst    hard  breaks")
        for name in schedules(Requests(), 0):
            shown = of_row[name] = figures(found, row, name, DIGITS)
            print("{:26} {cost:7.4f} {worst:7.3f} {hard:7.4f} {breaks:7.1f}".format(name, **shown))
    after = prior([n for some in known.values() for n in some])
    print("\nRequests that follow, by those so far:", ", ".join(f"{n}: {more}" for n, more in after))
    print(f"{len(paths)} files, {time.perf_counter() - begun:.0f} s")
    if not given:
        written = json.dumps({"costs": costs, "prior": after}, indent=1)
        (RESULTS / "schedule.json").write_text(written + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
