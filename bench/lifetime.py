"""What a longer life of the prompt cache is worth, alone and with pruning, on the dev sessions with recorded times.

    python bench/lifetime.py [SESSION ...]

Cost against no pruning with the five-minute cache at read 0.1, write 1.25; an hour costs 2.0 for each token that is
written. The sessions of a repository are replayed in the order of their times, as those of one user. Writes
bench/results/lifetime.json; sessions that are given are measured alone, and nothing is written.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from cache_plans import CachePlan, has_times, life_cost, pauses
from measured import NOTHING, RESULTS, SESSIONS, SHORTEST, pieces, recordings
from usage import show_help

from prunus.lab.pool import spread
from prunus.schedule.prices import NAMED_ROWS, Price

PRICE: Price = replace(NAMED_ROWS["0.1/1.25"], long_write=2.0)
PRESETS = {"unpruned": "off", "pruned": "auto"}
PLANS = {
    "as sent": CachePlan(),
    "1h": CachePlan("1h"),
    "auto": CachePlan("auto"),
    "keep_alive 1": CachePlan(keep_alive=1),
    "keep_alive 2": CachePlan(keep_alive=2),
    "keep_alive 3": CachePlan(keep_alive=3),
    "auto, keep_alive 3": CachePlan("auto", 3),
    "1h, keep_alive 3": CachePlan("1h", 3),
    "always 1": CachePlan(keep_alive=1, always=True),
    "always 2": CachePlan(keep_alive=2, always=True),
    "always 3": CachePlan(keep_alive=3, always=True),
    "always 12": CachePlan(keep_alive=12, always=True),
}

Repositories = dict[Path, list[Path]]
"""The sessions of each repository, by the first of them."""


class Lived(NamedTuple):
    """One conversation with one plan."""

    pruned: str
    plan: str
    agent: str
    session: str
    cost: float
    requests: int
    cold: int
    keep_alives: int
    cost_of_keep_alives: float
    hours: int


def repositories(paths: list[Path]) -> Repositories:
    """Group the sessions by the repository that they come from."""
    manifest = json.loads((SESSIONS / "MANIFEST.json").read_text()) if SESSIONS.exists() else []
    homes = {(SESSIONS / one["file"]).resolve(): one["source_repo"] for one in manifest}
    found: dict[str, list[Path]] = defaultdict(list)
    for path in paths:
        found[homes.get(path, str(path))].append(path)
    return {group[0]: group for group in found.values()}


def measure(first: Path, groups: Repositories) -> list[Lived]:
    """All conversations of one repository with each plan."""
    every = [one for path in groups[first] for one in pieces(path)]
    timed = sorted((one for one in every if has_times(one)), key=lambda one: one.times[0] or 0.0)
    found = []
    for pruned, preset in PRESETS.items():
        for name, plan in PLANS.items():
            pruner = plan.pruner(preset, PRICE)
            for one in timed:
                if len(one.requests) >= SHORTEST:
                    paid = life_cost(one, plan, pruner, PRICE)
                    found.append(
                        Lived(
                            pruned, name, one.agent, one.name, paid.cost, paid.requests, paid.cold,
                            paid.keep_alives, paid.cost_of_keep_alives, paid.hours,
                        )
                    )  # fmt: skip
    return found


def pause_figures() -> dict[str, dict[str, int]]:
    """The pauses after finished answers and after tool calls, and how many of them outlast five minutes."""
    every = [pause for path in recordings() for one in pieces(path) if has_times(one) for pause in pauses(one)]
    shares = {}
    for name, spoken in {"answer": True, "tool call": False}.items():
        some = [seconds for seconds, answered in every if answered == spoken]
        shares[name] = {"pauses": len(some), "long": sum(seconds > PRICE.ttl for seconds in some)}
    return shares


def figures(found: list[Lived], pruned: str, plan: str) -> dict[str, float | dict[str, float]]:
    """The cost against the five-minute cache without pruning, of all and of each agent, and what led to it."""
    base = {one.session: one.cost for one in found if (one.pruned, one.plan) == ("unpruned", "as sent")}
    own = [one for one in found if (one.pruned, one.plan) == (pruned, plan)]
    agents = sorted({one.agent for one in own})

    def cost(some: list[Lived]) -> float:
        return round(sum(one.cost for one in some) / sum(base[one.session] for one in some), 4)

    paid, requests = sum(one.cost for one in own), sum(one.requests for one in own)
    return {
        "cost": cost(own),
        "worst": round(max(one.cost / base[one.session] for one in own), 4),
        "cold": round(1000 * sum(one.cold for one in own) / requests, 2),
        "keep_alives": round(1000 * sum(one.keep_alives for one in own) / requests, 2),
        "cost_of_keep_alives": round(sum(one.cost_of_keep_alives for one in own) / paid, 4),
        "hours": round(sum(one.hours for one in own) / requests, 4),
        "agents": {agent: cost([one for one in own if one.agent == agent]) for agent in agents},
    }


def main(given: list[str]) -> None:
    groups = repositories([Path(path).resolve() for path in given] or recordings())
    found = [one for some in spread(partial(measure, groups=groups), list(groups)) for one in some]
    if not found:
        print(NOTHING)
        return
    result = {pruned: {plan: figures(found, pruned, plan) for plan in PLANS} for pruned in PRESETS}
    print(f"{'':30}   cost   worst    cold   alive   share   hours")
    for pruned, plans in result.items():
        for plan, one in plans.items():
            keys = ("cost", "worst", "cold", "keep_alives", "cost_of_keep_alives", "hours")
            print(f"{pruned + ', ' + plan:30}", *(f"{one[key]:7.3f}" for key in keys))
            print("", *(f"{agent} {cost:.3f}" for agent, cost in one["agents"].items()), sep="   ")  # type: ignore[union-attr]
    if not given:
        count = [one for one in found if (one.pruned, one.plan) == ("unpruned", "as sent")]
        counted = {
            "conversations": len(count),
            "requests": sum(one.requests for one in count),
            "pauses": pause_figures(),
        }
        (RESULTS / "lifetime.json").write_text(json.dumps({**counted, **result}, indent=1) + "\n")


if __name__ == "__main__":
    show_help()
    main(sys.argv[1:])
