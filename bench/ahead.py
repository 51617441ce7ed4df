"""What it is worth to know how many requests will follow, and how fast candidates grow.

    python bench/ahead.py [PATIENCE ...]

On the dev sessions of at least 15 requests, the rule of the schedule `cache` with the number of requests to come
found in five ways: as many again up to 40; the prior of `policy/requests.py`, fitted without the agent at hand; the
same with the other sessions of that agent as past conversations; the true number, up to 40 and without a bound. And
the rule for stocks with the third of them: candidates come at a steady rate, so a flush saves only until the next
one, which is as far ahead as it took to gather what goes now. Each with each patience (2 and 4 unless given), at
four prices: cost against no pruning, worst session, hard retention, breaks per 100 requests.

Then the table of the prior, fitted on all dev sessions; and the growth: the tokens per request that become
candidates after they were sent, and how well the rate of a conversation so far tells that of its next 10 requests.
Writes bench/results/ahead.json.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import correlation, mean
from typing import Any, NamedTuple

from prunus import Pruner, Settings
from prunus.errors import FormatError
from prunus.formats import format_named
from prunus.lab.best_cuts import Timeline
from prunus.lab.clairvoyant import foreseen
from prunus.lab.conversations import conversations
from prunus.lab.cost import cost
from prunus.lab.masks import Unpruned
from prunus.lab.pruned import Pruned, Pruning
from prunus.lab.reading import Reader
from prunus.lab.replay import replay
from prunus.lab.retention import Needs, retention
from prunus.policy.prices import NAMED_ROWS
from prunus.policy.requests import KNOWN, PRIOR, Prior, Requests
from prunus.policy.schedule import Cache, Moment, Plan
from prunus.transcripts import Session, load

HERE = Path(__file__).resolve().parent
CORPUS = HERE.parent / "../shared/corpus/dev"
AGENTS = ("claude-code", "codex", "opencode", "pi", "chat-export", "mini-swe-agent")
ROWS = ("0.1/1.25", "0.025/1.25", "0.5/1.0", "0.02/1.0")
BOUND = 40
ENDLESS = 1_000_000
GROWTH = 370
"""Tokens per request that become candidates, on average; measured below."""
AHEAD = ("as many again", "prior", "prior and past", "true, up to 40", "true", "stocks")
NEXT = 10
"""Requests whose growth is foretold."""


@dataclass(frozen=True, slots=True)
class Told(Cache):
    """The schedule, told how many requests follow after so many."""

    to_come: Callable[[int], int] = abs

    def plan(self, moment: Moment) -> Plan:
        return Cache.plan(self, replace(moment, requests=self.to_come(moment.requests + 1)))


@dataclass(frozen=True, slots=True)
class Stocks(Told):
    """Flush when what goes saves `patience` times the break before the next flush, and pays before the end.

    With patience 2 these are the batches of least cost where stock comes steadily: with S tokens waiting, T to be
    written again and g coming with each request, flush when S * S >= 2 * (write - read) * T * g / read.
    """

    def plan(self, moment: Moment) -> Plan:
        if moment.cold or moment.forced:
            return Told.plan(self, moment)
        read, broken = moment.price.read, moment.price.write - moment.price.read
        left = self.to_come(moment.requests + 1)
        purse = moment.earned + self.stake * moment.paid
        best, most, saved = moment.sent, 0.0, 0
        for message, tokens in reversed(moment.pending):
            if message < moment.sent:
                saved += tokens
                price = broken * max(0, moment.tail(message) - saved)
                until_next = read * saved * (min(left, saved / GROWTH) + 1)
                until_end = read * saved * (left + 1)
                gain = until_end - self.patience * price
                if price <= min(purse, until_end, until_next / self.patience) and gain >= most:
                    best, most = message, gain
        return Plan(best, "stocks")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the conversations that are not measured: for each agent the lengths, session by session."""

    lengths: dict[str, dict[str, tuple[int, ...]]]

    def others(self, agent: str, path: str) -> list[int]:
        """The conversations of the other sessions of an agent."""
        return [n for name, some in self.lengths[agent].items() if name != path for n in some]

    def prior(self, without: str = "") -> Prior:
        """The table fitted on all agents but one."""
        every = [n for name, some in self.lengths.items() if name != without for of in some.values() for n in of]
        ends = (*(first for first, _ in PRIOR), KNOWN)
        return tuple(
            (low, round(mean(residual(every, n) for n in range(low, high)))) for low, high in pairwise(ends)
        )


class Policy(NamedTuple):
    """Prunus with one way to look ahead."""

    ahead: str
    patience: float
    row: str
    to_come: Callable[[int], int]

    @property
    def name(self) -> str:
        return self.ahead

    def start(self) -> Pruning:
        rule = Stocks if self.ahead == "stocks" else Told
        schedule = rule(patience=self.patience, ahead=ENDLESS, to_come=self.to_come)
        return Pruning(Pruner(told(self.row), schedule=schedule))


class Measured(NamedTuple):
    """One conversation under one policy."""

    ahead: str
    patience: float
    row: str
    cost: float
    unpruned: float
    hard: int
    hard_kept: int
    breaks: int
    requests: int


def told(row: str) -> Settings:
    return Pruned("auto", "auto", "cache", NAMED_ROWS[row]).settings()


def residual(lengths: list[int], so_far: int) -> float:
    """How many more requests those sent on average that came as far."""
    return mean([length - so_far for length in lengths if length >= so_far] or [0])


def looks(known: Known, agent: str, path: str, length: int) -> dict[str, Callable[[int], int]]:
    """The requests to come after so many, each way to find them."""
    prior = known.prior(without=agent)
    past = Requests.of(known.others(agent, path), prior)
    return {
        "as many again": lambda so_far: min(so_far - 1, BOUND),
        "prior": lambda so_far: Requests(prior=prior).to_come(so_far, BOUND),
        "prior and past": lambda so_far: past.to_come(so_far, BOUND),
        "true, up to 40": lambda so_far: min(length - so_far, BOUND),
        "true": lambda so_far: length - so_far,
        "stocks": lambda so_far: past.to_come(so_far, BOUND),
    }


def pieces(path: Path) -> Iterator[Session]:
    """The conversations of a recording."""
    for session in load(path):
        yield from conversations(session)


def lengths(path: Path) -> tuple[int, ...]:
    try:
        return tuple(len(one.requests) for one in pieces(path))
    except FormatError:
        return ()


def measure(known: Known, patiences: tuple[float, ...], path: Path) -> tuple[list[Measured], list[list[int]]]:
    """What each way to look ahead pays, and how candidates grew."""
    found, growths = [], []
    for one in pieces(path):
        length = len(one.requests)
        if length < 15:
            continue
        reader = Reader(format_named(one.format))
        needs, base = Needs(one, reader), replay(one, Unpruned(), reader)
        ways = looks(known, path.parent.name, path.name, length)
        for row in ROWS:
            price = NAMED_ROWS[row]
            for ahead in AHEAD:
                for patience in patiences:
                    sent = replay(one, Policy(ahead, patience, row, ways[ahead]), reader)
                    paid, kept = cost(sent, price), retention(needs, sent)
                    figures = paid.cost, cost(base, price).cost, kept.hard, kept.hard_kept, paid.breaks, length
                    found.append(Measured(ahead, patience, row, *figures))
        price = NAMED_ROWS[ROWS[0]]
        growths.append(growth(foreseen(one, reader, Pruned("auto", "auto", "cache", price), price)))
    return found, growths


def growth(timeline: Timeline) -> list[int]:
    """For each request the tokens that became candidates in messages that had been sent before."""
    new = [0] * len(timeline.warm)
    for birth, steps in zip(timeline.births, timeline.gains, strict=True):
        before = 0
        for request, gain in steps:
            if request > birth:
                new[request] += gain - before
            before = gain
    return new


def foretold(growths: list[list[int]]) -> dict[str, float]:
    """How far off the next requests' rate is, by the mean of all, by the conversation's own, and by both."""
    pooled = mean(new for one in growths for new in one)
    own, both, came = [], [], []
    for one in growths:
        for at in range(NEXT, len(one) - NEXT, NEXT // 2):
            came.append(mean(one[at : at + NEXT]))
            own.append(mean(one[:at]))
            both.append((sum(one[:at]) + 20 * pooled) / (at + 20))
    return {
        "correlation": round(correlation(own, came), 2),
        "error of the pooled mean": round(mean(abs(pooled - rate) for rate in came)),
        "error of its own rate": round(mean(abs(guess - rate) for guess, rate in zip(own, came, strict=True))),
        "error of both": round(mean(abs(guess - rate) for guess, rate in zip(both, came, strict=True))),
    }


def by_age(growths: list[list[int]]) -> dict[str, int]:
    """Tokens per request, by the requests so far."""
    ends = (0, 5, 10, 20, 40, 80, 160, 1_000)
    parts = {f"{low}-{high}": [new for one in growths for new in one[low:high]] for low, high in pairwise(ends)}
    return {"all": round(mean(new for one in growths for new in one))} | {
        name: round(mean(part)) for name, part in parts.items()
    }


def summed(found: list[Measured]) -> dict[str, float]:
    paid, whole, hard, kept, breaks, requests = (sum(one[at] for one in found) for at in range(3, 9))
    return {
        "cost": round(paid / whole, 4),
        "worst": round(max(one.cost / one.unpruned for one in found), 3),
        "hard": round(kept / hard, 4),
        "breaks": round(100 * breaks / requests, 1),
    }


def main(patiences: tuple[float, ...]) -> None:
    every = sorted(CORPUS.rglob("*.gz"), key=lambda path: -path.stat().st_size)
    paths = [path for path in every if path.parent.name in AGENTS]
    if not paths:
        print("No recorded sessions here (../shared/corpus/dev); there is nothing to compare.")
        return
    begun = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        known = Known({path.parent.name: {} for path in every})
        for path, some in zip(every, pool.map(lengths, every), strict=True):
            known.lengths[path.parent.name][path.name] = some
        measured = list(pool.map(partial(measure, known, patiences), paths))
    found = [one for some, _ in measured for one in some]
    growths = [one for _, some in measured for one in some]
    results: dict[str, Any] = {"prior": known.prior(), "costs": {}}
    for row in ROWS:
        print(f"\n{row:30} {'cost':>7} {'worst':>6} {'hard':>7} {'breaks':>7}")
        for ahead in AHEAD:
            for patience in patiences:
                key = ahead, patience, row
                figures = summed([one for one in found if one[:3] == key])
                name = f"{ahead}, patience {patience:g}"
                results["costs"].setdefault(row, {})[name] = figures
                print(f"{name:30} {figures['cost']:7.4f} {figures['worst']:6.3f}", end=" ")
                print(f"{figures['hard']:7.4f} {figures['breaks']:7.1f}")
    results["growth"] = {"tokens per request": by_age(growths), "next 10 requests": foretold(growths)}
    print(f"\nThe prior: {known.prior()}")
    for name, values in results["growth"].items():
        print(f"Growth, {name}:", ", ".join(f"{key} {value}" for key, value in values.items()))
    print(f"{time.perf_counter() - begun:.0f} s")
    (HERE / "results" / "ahead.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main(tuple(map(float, sys.argv[1:])) or (2.0, 4.0))
