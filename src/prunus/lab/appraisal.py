"""Replaying somebody's own sessions, as they came and through Prunus, each paid at the prices of its own model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from prunus.engine import Tally
from prunus.lab.analysis import Effect, File, SessionResult, Total
from prunus.lab.conversations import Known, RecordedConversation, over_pieces, repeats
from prunus.lab.cost import cost, is_cold
from prunus.lab.masks import Unpruned
from prunus.lab.policies import policy_named
from prunus.lab.pool import spread_counted
from prunus.lab.progress import Counted, Gauge
from prunus.lab.pruned import Pruned, PrunusSender
from prunus.lab.reading import Reader
from prunus.lab.replay import Replay, replay
from prunus.lab.retention import Needs, retention
from prunus.providers import provider_named
from prunus.pruner import Pruner
from prunus.schedule.prices import DEFAULT, Price, price_of
from prunus.strategies.step_markers import StepMarkers

PRESET: Final = "auto"
"""The policy that is replayed; `prunus replay` knows it by the same name."""


def analyse(paths: Sequence[Path], *, workers: int = 2, quiet: bool = False) -> tuple[File, ...]:
    """Measure all files, in their order; says on standard error how far it is."""
    work = partial(measure, known=repeats(paths, workers=workers))
    return spread_counted(work, paths, workers=workers, quiet=quiet)


def measure(path: Path, gauge: Gauge | None = None, *, known: Known | None = None) -> File:
    """All sessions of one file."""
    gauge = gauge or Gauge()
    told = (known or {}).get(str(path), ())
    gauge.expect(sum(repeat.requests for repeat in told if repeat.copied < repeat.requests))
    read = over_pieces(path, partial(_row, path, gauge), known)
    return File(str(path), read.found, read.skipped, read.copies, read.failure)


def _row(path: Path, gauge: Gauge, piece: RecordedConversation) -> SessionResult:
    session, copied, price = piece.session, piece.copied, piece.price
    reader = Reader(provider_named(session.format))
    chosen = policy_named(PRESET, price, piece.window)
    assert isinstance(chosen, Pruned)
    policy = _Watched(chosen)
    before = replay(session, Unpruned(), reader).since(copied)
    whole = replay(session, Counted(policy, gauge), reader)
    after = whole.since(copied)
    unpruned, paid = cost(before, price), cost(after, price)
    kept = retention(Needs(session, reader).since(copied), whole)
    numbers = Total(
        1,
        len(session.requests) - copied,
        copied,
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
        policy.refused,
        paid.invalid,
    )
    effects = _effects(policy.tallies[copied:], after, price, unpruned.cost - paid.cost)
    table = price_of(session.model) != DEFAULT
    return SessionResult(
        str(path), session.name, session.agent, session.model, table, numbers, effects, piece.lifetime
    )


class _Watched(PrunusSender):
    """Prunus in one session; remembers what its strategies did.

    Step markers are left out: they are bookkeeping of the host that never reaches the model.
    """

    def __init__(self, policy: Pruned) -> None:
        super().__init__(Pruner(policy.settings()))
        self.name = policy.name
        self.refused = 0
        self.tallies: list[Mapping[str, Tally]] = []

    def start(self) -> _Watched:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        self.refused += self.last.error is not None
        tallies = self.last.report.strategies
        self.tallies.append({name: tally for name, tally in tallies.items() if name != StepMarkers.name})
        return out


def _effects(tallies: Sequence[Mapping[str, Tally]], sent: Replay, price: Price, saved: float) -> dict[str, Effect]:
    """What each strategy did; what was saved is shared out by the price of what each kept out."""
    kept: dict[str, int] = {}
    worth: dict[str, float] = {}
    for request, table in zip(sent.requests, tallies, strict=True):
        each = price.write if is_cold(request, price) else price.read
        for name, tally in table.items():
            kept[name] = kept.get(name, 0) + tally.tokens
            worth[name] = worth.get(name, 0.0) + tally.tokens * each
    whole = sum(worth.values())
    last = tallies[-1] if tallies else {}
    return {
        name: Effect(
            last.get(name, Tally()).count,
            last.get(name, Tally()).tokens,
            tokens,
            saved * worth[name] / whole if whole else 0.0,
        )
        for name, tokens in kept.items()
    }


def _cached(replayed: Replay, price: Price) -> int:
    """The tokens that are read from the cache."""
    warm = (one.cached for one in replayed.requests if not is_cold(one, price))
    return sum(cached for cached in warm if cached >= price.minimum)


def _breaks(before: Replay, after: Replay, price: Price) -> int:
    """The requests that break a warm cache where the agent's own did not."""
    return sum(
        new.broken > 0 >= old.broken and not is_cold(new, price)
        for old, new in zip(before.requests, after.requests, strict=True)
    )
