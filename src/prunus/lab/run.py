"""Many recorded files through many policies at many prices, on several cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from prunus.formats import format_named
from prunus.lab.conversations import LIMIT, conversations
from prunus.lab.cost import Cost, cost
from prunus.lab.masks import Unpruned
from prunus.lab.policies import policy_named
from prunus.lab.policy import Bound, Policy
from prunus.lab.pool import spread
from prunus.lab.price_row import price_row
from prunus.lab.reading import Reader
from prunus.lab.replay import Replay, replay
from prunus.lab.retention import Needs, Retention, retention
from prunus.transcripts import Session, load

__all__ = ["Found", "Row", "Study", "measure", "recordings", "run"]

_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson", ".traj", ".gz", ".db"})


@dataclass(frozen=True, slots=True)
class Study:
    """What is asked of every recording."""

    policies: tuple[str, ...]
    prices: tuple[str, ...]
    minimum: int = 15
    """Requests of the shortest conversation that counts."""
    limit: int = LIMIT
    """Tokens at which a conversation is cut."""


@dataclass(frozen=True, slots=True)
class Row:
    """One conversation under one policy at one price; costs are in tokens of uncached input."""

    session: str
    agent: str
    policy: str
    prices: str
    requests: int
    cost: float
    unpruned: float
    """Cost without pruning."""
    effective: float
    """Cost with what was lost read again, once, at the price of a write."""
    tokens: int
    unpruned_tokens: int
    peak: int
    unpruned_peak: int
    breaks: int
    flushes: int
    undeclared: int
    cold: int
    invalid: int
    lines: int
    lines_kept: int
    files: int
    files_kept: int
    soft: int
    soft_kept: int
    reread: int


@dataclass(frozen=True, slots=True)
class Found:
    """What one file gave."""

    path: str
    rows: tuple[Row, ...] = ()
    conversations: int = 0
    short: int = 0
    """Conversations with too few requests to count."""
    skipped: int = 0
    """Damaged records in it."""
    failure: str = ""
    """Why the file could not be read, if so."""


def recordings(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files that are meant: those given, and in folders everything that looks like a recording."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = (p for p in path.rglob("*") if p.suffix in _SUFFIXES and p.is_file())
            found |= dict.fromkeys(sorted(p for p in inside if p.name != "MANIFEST.json"))
        else:
            found[path] = None
    return tuple(found)


def run(paths: Sequence[Path], study: Study, *, workers: int = 2, quiet: bool = False) -> Iterator[Found]:
    """Measure all files, in their order; says on standard error how far it is."""
    yield from spread(partial(measure, study=study), paths, workers=workers, quiet=quiet)


def measure(path: Path, study: Study) -> Found:
    """All conversations of one file."""
    try:
        sessions = load(path)
    except Exception as error:  # whatever is wrong with a file, the others are still measured
        reason = str(error) if str(error).startswith(str(path)) else f"{path}: {type(error).__name__}: {error}"
        return Found(str(path), failure=reason)
    pieces = [piece for session in sessions for piece in conversations(session, study.limit)]
    counted = [piece for piece in pieces if len(piece.requests) >= study.minimum]
    rows = tuple(row for piece in counted for row in _rows(piece, study))
    skipped = sum(session.skipped for session in sessions)
    return Found(str(path), rows, len(counted), len(pieces) - len(counted), skipped)


def _rows(session: Session, study: Study) -> Iterator[Row]:
    reader = Reader(format_named(session.format))
    needs = Needs(session, reader)
    replays: dict[Policy | Bound, Replay] = {}
    kept: dict[Policy | Bound, Retention] = {}

    def replayed(policy: Policy | Bound) -> Replay:
        if policy not in replays:
            if isinstance(policy, Bound):
                replays[policy] = policy.replay(session, reader, needs, replayed)
            else:
                replays[policy] = replay(session, policy, reader)
        return replays[policy]

    for prices in study.prices:
        price = price_row(prices)
        base = cost(replayed(Unpruned()), price)
        for name in study.policies:
            policy = policy_named(name, prices)
            sent = replayed(policy)
            if policy not in kept:
                kept[policy] = retention(needs, sent)
            yield _row(session, name, prices, base, cost(sent, price), kept[policy], price.write)


def _row(session: Session, policy: str, prices: str, base: Cost, paid: Cost, kept: Retention, write: float) -> Row:
    return Row(
        session.name,
        session.agent,
        policy,
        prices,
        len(session.requests),
        paid.cost,
        base.cost,
        paid.cost + kept.reread * write,
        paid.tokens,
        base.tokens,
        paid.peak,
        base.peak,
        paid.breaks,
        paid.flushes,
        paid.undeclared,
        paid.cold,
        paid.invalid,
        kept.lines,
        kept.lines_kept,
        kept.files,
        kept.files_kept,
        kept.soft,
        kept.soft_kept,
        kept.reread,
    )
