"""What Prunus would have made of somebody's own sessions.

Each is replayed as it came and through the preset `lean`, and paid at the prices of its
own model. A context that the agent compacted, or that outgrew its model's window, is a session of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from prunus.engine import Tally
from prunus.formats import format_named
from prunus.lab.conversations import conversations
from prunus.lab.cost import cost
from prunus.lab.masks import Unpruned
from prunus.lab.progress import largest_first, watched
from prunus.lab.reading import Reader
from prunus.lab.replay import Replay, replay
from prunus.lab.retention import Needs, retention
from prunus.policy.prices import DEFAULT, Price, price_of
from prunus.policy.windows import window_of
from prunus.pruner import Pruner
from prunus.settings import Settings
from prunus.transcripts import Session, stream

__all__ = [
    "File",
    "Row",
    "Total",
    "analyse",
    "by_agent",
    "least",
    "measure",
    "record",
    "share",
    "strategies",
    "total",
]

_TOLD: Final = ("read", "write", "ttl", "tier", "tier_factor")


@dataclass(frozen=True, slots=True)
class Total:
    """Sums over sessions; costs are in tokens of uncached input."""

    sessions: int = 0
    requests: int = 0
    unpruned_tokens: int = 0
    """Of all requests together, as the agent sent them."""
    tokens: int = 0
    """The same after pruning."""
    unpruned: float = 0.0
    """Cost without pruning."""
    cost: float = 0.0
    unpruned_cached: int = 0
    """Tokens that the prompt cache would have held, without pruning."""
    cached: int = 0
    breaks: int = 0
    """Requests that find a shorter prefix in a warm cache only because Prunus changed it."""
    hard: int = 0
    """Lines that later calls used."""
    hard_kept: int = 0
    soft: int = 0
    """Names that later calls used."""
    soft_kept: int = 0
    refused: int = 0
    """Requests that Prunus could not read and sent on as they came."""
    invalid: int = 0
    """Pruned requests that a provider would refuse; always 0 unless something is wrong with Prunus."""


@dataclass(frozen=True, slots=True)
class Row:
    """One session."""

    path: str
    session: str
    agent: str
    model: str
    """Empty where the recording does not tell."""
    known: bool
    """Whether the price table knows the model; the default price counts otherwise."""
    total: Total
    strategies: Mapping[str, Tally]
    """The edits in force in its last request, and the tokens they keep out of it."""


@dataclass(frozen=True, slots=True)
class File:
    """What one file gave."""

    path: str
    rows: tuple[Row, ...] = ()
    skipped: int = 0
    """Damaged records in it."""
    failure: str = ""
    """Why the file, or the rest of it, could not be read."""


def analyse(paths: Sequence[Path], *, workers: int = 2, quiet: bool = False) -> tuple[File, ...]:
    """Measure all files, in their order; says on standard error how far it is."""
    # The largest first, so that no core waits for the other at the end.
    order = largest_first(paths)
    found: dict[int, File] = {}
    with ExitStack() as stack:
        # Workers are started afresh: a fork would copy the thread that draws the bar.
        pool: Executor | None = None
        if min(workers, len(paths)) > 1:
            count = min(workers, len(paths))
            pool = stack.enter_context(ProcessPoolExecutor(count, mp_context=get_context("spawn")))
        several = map if pool is None else pool.map
        results = several(measure, [paths[i] for i in order])
        found.update(zip(order, watched(results, len(order), quiet), strict=True))
    return tuple(found[i] for i in range(len(paths)))


def measure(path: Path) -> File:
    """All sessions of one file; what was read before it turned out to be broken counts."""
    rows: list[Row] = []
    skipped = 0
    try:
        for session in stream(path):
            skipped += session.skipped
            rows += (_row(path, piece) for piece in conversations(session, window_of(session.model)))
    except Exception as error:  # whatever is wrong with a file, the others are still measured
        reason = str(error) if str(error).startswith(str(path)) else f"{path}: {type(error).__name__}: {error}"
        return File(str(path), tuple(rows), skipped, reason)
    return File(str(path), tuple(rows), skipped)


def total(rows: Iterable[Row]) -> Total:
    """All sessions together."""
    totals = [row.total for row in rows]
    return Total(**{field.name: sum(getattr(one, field.name) for one in totals) for field in fields(Total)})


def by_agent(rows: Iterable[Row]) -> dict[str, Total]:
    """The sessions of each agent together."""
    agents: dict[str, list[Row]] = {}
    for row in rows:
        agents.setdefault(row.agent, []).append(row)
    return {agent: total(group) for agent, group in sorted(agents.items())}


def strategies(rows: Iterable[Row]) -> dict[str, Tally]:
    """What each strategy did in all sessions, the one that saved most first."""
    sums: dict[str, Tally] = {}
    for row in rows:
        for name, tally in row.strategies.items():
            sums[name] = sums.get(name, Tally()).add(tally.count, tally.tokens)
    return dict(sorted(sums.items(), key=lambda item: (-item[1].tokens, item[0])))


def least(rows: Iterable[Row], count: int = 5) -> tuple[Row, ...]:
    """The sessions that gained least, the dearer first where the gain is the same."""
    ranked = sorted(rows, key=lambda row: (-share(row.total.cost, row.total.unpruned), -row.total.unpruned))
    return tuple(ranked[:count])


def record(row: Row) -> dict[str, Any]:
    """A session as plain data, for programs."""
    named = {name: {"count": tally.count, "tokens": tally.tokens} for name, tally in row.strategies.items()}
    beside = {"path": row.path, "session": row.session, "agent": row.agent, "model": row.model, "known": row.known}
    numbers = {name: value for name, value in asdict(row.total).items() if name != "sessions"}
    return {**beside, **numbers, "strategies": named}


def share(part: float, whole: float) -> float:
    """A part of a whole; all of it where there is none."""
    return part / whole if whole else 1.0


def _row(path: Path, session: Session) -> Row:
    price = price_of(session.model)
    reader = Reader(format_named(session.format))
    lean = _Lean(price, window_of(session.model))
    before = replay(session, Unpruned(), reader)
    after = replay(session, lean, reader)
    unpruned, paid = cost(before, price), cost(after, price)
    kept = retention(Needs(session, reader), after)
    numbers = Total(
        1,
        len(session.requests),
        unpruned.tokens,
        paid.tokens,
        unpruned.cost,
        paid.cost,
        _cached(before, price),
        _cached(after, price),
        _breaks(before, after, price),
        kept.hard,
        kept.hard_kept,
        kept.soft,
        kept.soft_kept,
        lean.refused,
        paid.invalid,
    )
    known = price != DEFAULT
    return Row(str(path), session.name, session.agent, session.model, known, numbers, lean.strategies)


class _Lean:
    """The lab's policy `lean` in one session; remembers what its strategies did."""

    def __init__(self, price: Price, window: int) -> None:
        # Not every format has the model's name in its requests, so the price is told.
        told = {name: getattr(price, name) for name in _TOLD if getattr(price, name) is not None}
        values: dict[str, Any] = {"preset": "lean", "window": window}
        self._pruner = Pruner(Settings(**values, prices=[{"model": "*", **told}]))
        self.name = "lean"
        self.declared = ""
        self.refused = 0
        self.strategies: Mapping[str, Tally] = {}

    def start(self) -> _Lean:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        out = self._pruner.prune(body, now=now)
        self.declared = out.flush.reason if out.flush is not None else ""
        self.refused += out.error is not None
        self.strategies = dict(out.report.strategies)
        return out.body


def _cached(replayed: Replay, price: Price) -> int:
    """The tokens that are read from the cache."""
    warm = (one.cached for one in replayed.requests if one.gap is None or one.gap <= price.ttl)
    return sum(cached for cached in warm if cached >= price.minimum)


def _breaks(before: Replay, after: Replay, price: Price) -> int:
    """The requests that break a warm cache where the agent's own did not."""
    return sum(
        new.broken > 0 >= old.broken and (new.gap is None or new.gap <= price.ttl)
        for old, new in zip(before.requests, after.requests, strict=True)
    )
