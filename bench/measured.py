"""Variants of Prunus on recorded conversations: what each costs against no pruning, and what it loses.

A program of this kind gives the pruners that it compares, by name, and prints the figures that it wants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from prunus import Pruner, Settings
from prunus.clients.sessions import Session, load
from prunus.lab.conversations import conversations
from prunus.lab.cost import cost
from prunus.lab.masks import Unpruned
from prunus.lab.policy import PrunusSender
from prunus.lab.reading import Reader
from prunus.lab.replay import replay
from prunus.lab.retention import Needs, retention
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


class Measured(NamedTuple):
    """One conversation with one variant at one price."""

    row: str
    variant: str
    cost: float
    unpruned: float
    hard: int
    hard_kept: int
    soft: int
    soft_kept: int
    breaks: int
    requests: int


class Strict(PrunusSender):
    """One conversation through a pruner, which may not fail."""

    name = "strict"

    def start(self) -> Strict:
        return self

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
) -> Iterator[Measured]:
    """A conversation with each of the pruners that there are at each price; nothing if it is too short."""
    if len(one.requests) < SHORTEST:
        return
    reader = Reader(provider_named(one.format))
    needs, base = Needs(one, reader), replay(one, Unpruned(), reader)
    for row in rows:
        price = NAMED_ROWS[row]
        whole = cost(base, price).cost
        for variant, pruner in pruners(row):
            sent = replay(one, Strict(pruner), reader)
            paid, kept = cost(sent, price), retention(needs, sent)
            uses = kept.hard, kept.hard_kept, kept.soft, kept.soft_kept
            yield Measured(row, variant, paid.cost, whole, *uses, paid.breaks, len(one.requests))


def figures(found: Iterable[Measured], row: str, variant: str, digits: Mapping[str, int]) -> dict[str, float]:
    """Those that are asked for, rounded to so many digits each.

    There are the cost against no pruning, the worst session, hard and soft retention, breaks per 100 requests.
    """
    own = [one for one in found if (one.row, one.variant) == (row, variant)]
    paid, whole, hard, hard_kept, soft, soft_kept, breaks, requests = (
        sum(column) for column in list(zip(*own, strict=True))[2:]
    )
    every = {
        "cost": paid / whole,
        "worst": max(one.cost / one.unpruned for one in own),
        "hard": hard_kept / hard if hard else 1.0,
        "soft": soft_kept / soft if soft else 1.0,
        "breaks": 100 * breaks / requests,
    }
    return {name: round(every[name], places) for name, places in digits.items()}
