"""What learning would have done over the dev sessions, and how often agents ask again by chance.

    python bench/learning.py [FOLDER ...]

Replays the sessions of each agent, a folder each, in order of time through two levels at read 0.1, write 1.25:
without learning, and with each conversation learning from those before it, where each lost part counts as one ask
(`bench/lessons.py`). Prints cost, effective cost and lost events of both, and what was learned in the end.
Recorded agents were never pruned, so the calls that ask for a part that `auto` has cut do so by chance; beside that
stands how often agents ask for parts that are in view. Writes bench/results/learning.json; folders that are given
are measured alone, and nothing is written.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

from lessons import Subject, asked_in_view, in_order_of_time, lessons
from measured import AGENTS, NOTHING, RESULTS, SESSIONS, SHORTEST, auto, pieces
from usage import show_help

from prunus import Settings
from prunus.lab.cost import cost, events, lost_rate
from prunus.lab.policy import Unpruned
from prunus.lab.pool import spread
from prunus.lab.replay import replay
from prunus.reuse.asked_again import AskedAgain, Experience, Tried
from prunus.reuse.learning import learn
from prunus.schedule.prices import NAMED_ROWS
from prunus.settings.presets import ALLOWED_LOSS

ROW = "0.1/1.25"
LEVELS = ("balanced", "lean")
VARIANTS = {f"{level}{', learning' * learns}": (level, learns) for level in LEVELS for learns in (False, True)}


class Measured(NamedTuple):
    """One conversation with one variant."""

    agent: str
    variant: str
    requests: int
    cost: float
    unpruned: float
    effective: float
    lost: int
    experience: Experience
    chance: Experience


class Chance(NamedTuple):
    """How often the calls of one conversation ask for parts in view, and how many parts of each kind there are."""

    asks: AskedAgain
    parts: Mapping[str, int]


def measure(folder: Path) -> tuple[list[Measured], list[Chance]]:
    """The conversations of one agent in order of time, with each variant."""
    paths = sorted(folder.rglob("*.gz"))
    found = (one for path in paths for one in pieces(path) if len(one.requests) >= SHORTEST)
    subjects = [Subject.read(session) for session in in_order_of_time(found)]
    price = NAMED_ROWS[ROW]
    unpruned = [cost(replay(one.session, Unpruned(), one.reader), price).cost for one in subjects]
    measured = []
    for variant, (level, learns) in VARIANTS.items():
        settings = Settings(level=level, learn=learns, prices=auto(ROW).dump()["prices"])
        for subject, whole, lesson in zip(subjects, unpruned, lessons(subjects, settings), strict=True):
            paid, lost = cost(lesson.replay, price).cost, lesson.kept.lost
            effective = paid + sum(part.cost(price) for part in lost)
            row = len(subject.session.requests), paid, whole, effective, events(lost)
            measured.append(Measured(folder.name, variant, *row, lesson.experience, lesson.chance))
    return measured, [Chance(*asked_in_view(one.session)) for one in subjects]


def figures(found: Sequence[Measured]) -> dict[str, Any]:
    """Cost and effective cost against no pruning, lost events per 1,000 requests with their interval."""
    whole = sum(one.unpruned for one in found)
    rate = lost_rate([(one.lost, one.requests) for one in found])
    return {
        "conversations": len(found),
        "requests": sum(one.requests for one in found),
        "cost": round(sum(one.cost for one in found) / whole, 4),
        "effective": round(sum(one.effective for one in found) / whole, 4),
        "lost": round(rate.value, 2),
        "lost_low": round(rate.low, 2),
        "lost_high": round(rate.high, 2),
    }


def sums(tried: Mapping[str, Tried]) -> dict[str, Any]:
    return {
        name: {"cut": one.cut, "expected": round(one.expected, 2), "asked": one.asked}
        for name, one in sorted(tried.items())
    }


def total(some: Iterable[Experience]) -> Experience:
    return reduce(add, some, Experience())


def report(measured: Sequence[Measured], chances: Sequence[Chance]) -> dict[str, Any]:
    """All figures as plain data."""
    agents: dict[str, Any] = {}
    for agent in dict.fromkeys(one.agent for one in measured):
        own = [one for one in measured if one.agent == agent]
        agents[agent] = {}
        for variant, (level, _) in VARIANTS.items():
            some = [one for one in own if one.variant == variant]
            learned = learn(total(one.experience for one in some), ALLOWED_LOSS[level])
            said = {"offsets": dict(learned.offsets), "stepped_back": list(learned.stepped_back)}
            agents[agent][variant] = {**figures(some), "learned": said}
    plain = [one for one in measured if one.variant == LEVELS[0]]
    lost, chance = total(one.experience for one in plain), total(one.chance for one in plain)
    parts: dict[str, int] = defaultdict(int)
    asked: dict[str, int] = defaultdict(int)
    for one in chances:
        for kind, count in one.parts.items():
            parts[kind] += count
        for kind, tally in one.asks.kinds.items():
            asked[kind] += tally.count
    return {
        "all": {variant: figures([one for one in measured if one.variant == variant]) for variant in VARIANTS},
        "agents": agents,
        "lost": {"strategies": sums(lost.strategies), "kinds": sums(lost.kinds)},
        "chance": {"strategies": sums(chance.strategies), "kinds": sums(chance.kinds)},
        "in view": {kind: {"parts": parts[kind], "asked": asked[kind]} for kind in sorted(parts)},
    }


def main(given: list[str]) -> None:
    folders = [Path(one).resolve() for one in given] or [SESSIONS.resolve() / agent for agent in AGENTS]
    found = spread(measure, [folder for folder in folders if folder.is_dir()])
    measured = [one for rows, _ in found for one in rows]
    if not measured:
        print(NOTHING)
        return
    results = report(measured, [one for _, chances in found for one in chances])
    print(json.dumps(results, indent=1))
    if not given:
        (RESULTS / "learning.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    show_help()
    main(sys.argv[1:])
