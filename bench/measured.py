"""Variants of Prunus on recorded conversations: what each costs against no pruning, and what it loses.

A program of this kind gives the pruners that it compares, by name, and prints the figures that it wants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from prunus import Pruner, Settings
from prunus.clients.sessions import Session, load
from prunus.lab.conversations import conversations
from prunus.lab.cost import Rate, cost
from prunus.lab.folds import fold_of
from prunus.lab.policy import PrunusSender, Unpruned
from prunus.lab.replay import Reader, replay
from prunus.lab.retention import Needs, retention
from prunus.lab.run import Measurement, measurement
from prunus.lab.summary import Summary, summarise
from prunus.providers import provider_named
from prunus.schedule.prices import NAMED_ROWS

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
SESSIONS = HERE.parent / "../shared/corpus/dev"
AGENTS = ("claude-code", "codex", "opencode", "pi", "chat-export", "mini-swe-agent")
ROWS = ("0.1/1.25", "0.025/1.25", "0.5/1.0", "0.02/1.0")
SHORTEST = 15
"""Requests of a conversation that is measured."""
NEVER = 1_000_000
"""Turns after which nothing is left to wait for."""
NOTHING = "No recorded sessions of that length here (../shared/corpus/dev); there is nothing to compare."

Strategies = Mapping[str, Mapping[str, Any]]


class Strict(PrunusSender):
    """One conversation through a pruner, which may not fail."""

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        if self.last.error:
            raise RuntimeError(self.last.error)
        return out


def auto(row: str, strategies: Strategies | None = None) -> Settings:
    """The preset at a price, with some strategies changed."""
    price = NAMED_ROWS[row]
    prices = [{"model": "*", "read": price.read, "write": price.write, "ttl": price.ttl}]
    return Settings(preset="auto", prices=prices, strategies=strategies or {})


def recordings() -> list[Path]:
    """The dev sessions of the agents that are compared."""
    return sorted(path.resolve() for path in SESSIONS.rglob("*.gz") if path.parent.name in AGENTS)


def pieces(path: Path) -> list[Session]:
    """The conversations of a recording."""
    return [one for session in load(path) for one in conversations(session)]


def measured(
    one: Session, rows: Iterable[str], pruners: Callable[[str], Iterable[tuple[str, Pruner]]]
) -> Iterator[Measurement]:
    """A conversation with each of the pruners that there are at each price; nothing if it is too short."""
    if len(one.requests) < SHORTEST:
        return
    reader = Reader(provider_named(one.format))
    needs, base, fold = Needs(one, reader), replay(one, Unpruned(), reader), fold_of(one)
    for row in rows:
        price = NAMED_ROWS[row]
        whole = cost(base, price)
        for variant, pruner in pruners(row):
            sent = replay(one, Strict(pruner), reader)
            kept = retention(needs, sent)
            yield measurement(one, 0, variant, row, price, whole, cost(sent, price), kept, fold)


def figures(found: Iterable[Measurement], row: str, variant: str, digits: Mapping[str, int]) -> dict[str, float]:
    """Those that are asked for by their names in `Summary`, rounded to so many digits each."""
    [own] = summarise(one for one in found if (one.prices, one.policy) == (row, variant))
    every = {name: getattr(own, name) for name in digits}
    rates = {name: value.value if isinstance(value, Rate) else value for name, value in every.items()}
    return {name: round(rates[name], places) for name, places in digits.items()}


def by_agent(rows: Iterable[Measurement]) -> dict[str, tuple[Summary, ...]]:
    """Return the summaries of each agent."""
    agents: dict[str, list[Measurement]] = {}
    for row in rows:
        agents.setdefault(row.agent, []).append(row)
    return {agent: summarise(group) for agent, group in sorted(agents.items())}


def by_fold(rows: Iterable[Measurement]) -> dict[int, tuple[Summary, ...]]:
    """Return the summaries of each fold of repositories."""
    folds: dict[int, list[Measurement]] = {}
    for row in rows:
        folds.setdefault(row.fold, []).append(row)
    return {fold: summarise(group) for fold, group in sorted(folds.items())}


def left_out(
    rows: Sequence[Measurement], choose: Callable[[Sequence[Measurement]], str]
) -> tuple[Measurement, ...]:
    """Return for each fold its rows under the policy that `choose` names, given the rows of the other folds alone.

    The summary of these rows is what a chosen value brings on repositories that it was not chosen on.
    """
    found: list[Measurement] = []
    for fold in sorted({row.fold for row in rows}):
        policy = choose([row for row in rows if row.fold != fold])
        found += [row for row in rows if row.fold == fold and row.policy == policy]
    return tuple(found)
