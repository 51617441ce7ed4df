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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from prunus import Pruner
from prunus.edits import Edit
from prunus.errors import FormatError
from prunus.formats import format_named
from prunus.lab.conversations import conversations
from prunus.lab.cost import cost
from prunus.lab.masks import Unpruned
from prunus.lab.pool import spread
from prunus.lab.pruned import Pruned, Pruning
from prunus.lab.reading import Reader
from prunus.lab.replay import replay
from prunus.lab.retention import Needs, retention
from prunus.policy.prices import NAMED_ROWS, Price
from prunus.policy.requests import KNOWN, PRIOR, Requests
from prunus.policy.schedule import Cache, Moment, Plan
from prunus.transcripts import Session, load

HERE = Path(__file__).resolve().parent
SESSIONS = HERE.parent / "../shared/corpus/dev"
AGENTS = ("claude-code", "codex", "opencode", "pi", "chat-export", "mini-swe-agent")
PRUNED = {
    row: Pruned("auto", "auto", "cache", NAMED_ROWS[row])
    for row in ("0.1/1.25", "0.025/1.25", "0.5/1.0", "0.02/1.0")
}


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


class Scheduled(Pruning):
    """Prunus with a schedule of its own, for one conversation; it may not fail."""

    name = "scheduled"

    def start(self) -> Scheduled:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        if self.last.error:
            raise RuntimeError(self.last.error)
        return out


class Measured(NamedTuple):
    """One conversation with one schedule at one price."""

    row: str
    schedule: str
    cost: float
    unpruned: float
    hard: int
    hard_kept: int
    breaks: int
    requests: int


def pieces(path: Path) -> list[Session]:
    return [one for session in load(path) for one in conversations(session)]


def lengths(path: Path) -> tuple[int, ...]:
    try:
        return tuple(len(one.requests) for one in pieces(path))
    except FormatError:
        return ()


def measure(path: Path, known: Mapping[Path, Sequence[int]]) -> list[Measured]:
    """What each schedule pays for the conversations of a recording."""
    found = []
    others = (some for other, some in known.items() if other != path and other.parent == path.parent)
    past = Requests.of(n for some in others for n in some)
    for one in pieces(path):
        if len(one.requests) < 15:
            continue
        reader = Reader(format_named(one.format))
        needs, base = Needs(one, reader), replay(one, Unpruned(), reader)
        for row, auto in PRUNED.items():
            price = NAMED_ROWS[row]
            whole = cost(base, price).cost
            for name, schedule in schedules(past, len(one.requests)).items():
                sent = replay(one, Scheduled(Pruner(auto.settings(), schedule=schedule)), reader)
                paid, kept = cost(sent, price), retention(needs, sent)
                counts = kept.hard, kept.hard_kept, paid.breaks, len(one.requests)
                found.append(Measured(row, name, paid.cost, whole, *counts))
    return found


def summed(found: list[Measured]) -> dict[str, float]:
    paid, whole, hard, kept, breaks, requests = (sum(one[at] for one in found) for at in range(2, 8))
    worst = max(one.cost / one.unpruned for one in found)
    figures = {
        "cost": paid / whole,
        "worst": worst,
        "hard": kept / hard if hard else 1.0,
        "breaks": 100 * breaks / requests,
    }
    return {name: round(figure, 4) for name, figure in figures.items()}


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
        print("No recorded sessions of that length here (../shared/corpus/dev); there is nothing to compare.")
        return
    costs: dict[str, dict[str, dict[str, float]]] = {row: {} for row in PRUNED}
    for row, of_row in costs.items():
        print(f"\n{row:26}    cost   worst    hard  breaks")
        for name in schedules(Requests(), 0):
            figures = of_row[name] = summed([one for one in found if one[:2] == (row, name)])
            print("{:26} {cost:7.4f} {worst:7.3f} {hard:7.4f} {breaks:7.1f}".format(name, **figures))
    after = prior([n for some in known.values() for n in some])
    print("\nRequests that follow, by those so far:", ", ".join(f"{n}: {more}" for n, more in after))
    print(f"{len(paths)} files, {time.perf_counter() - begun:.0f} s")
    if not given:
        target = HERE / "results" / "schedule.json"
        target.write_text(json.dumps({"costs": costs, "prior": after}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
