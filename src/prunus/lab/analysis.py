"""Replays somebody's own sessions, as they came and through Prunus, and sums up what Prunus would have saved.

Each session is paid at the prices of its own model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from prunus.lab.conversations import Known, RecordedConversation, over_pieces, repeats
from prunus.lab.cost import cost, is_cold
from prunus.lab.masks import Unpruned
from prunus.lab.policies import policy_named
from prunus.lab.policy import Pruned, PrunusSender
from prunus.lab.pool import spread_counted
from prunus.lab.progress import Counted, Gauge
from prunus.lab.reading import Reader
from prunus.lab.replay import Replay, replay
from prunus.lab.retention import Needs, retention
from prunus.providers import provider_named
from prunus.pruner import Pruner
from prunus.schedule.prices import DEFAULT, Price, price_of
from prunus.strategies.step_markers import StepMarkers
from prunus.tally import Tally


@dataclass(frozen=True, slots=True)
class Effect:
    """What one strategy did."""

    edits: int = 0
    """In force in the last request of each session."""
    tokens: int = 0
    """That they keep out of it."""
    kept: int = 0
    """Tokens kept out of all requests together."""
    saved: float = 0.0
    """Its part of what was saved, in tokens of uncached input: by what it kept out, breaks of the cache paid."""


@dataclass(frozen=True, slots=True)
class Total:
    """Sums over sessions; costs are in tokens of uncached input."""

    sessions: int = 0
    requests: int = 0
    copied: int = 0
    """Requests that a resumed session repeats from another file; they are counted there."""
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
    """Lines and files that later calls used."""
    hard_kept: int = 0
    soft: int = 0
    """Names that later calls used."""
    soft_kept: int = 0
    refused: int = 0
    """Requests that Prunus could not read and sent on as they came."""
    invalid: int = 0
    """Pruned requests that a provider would refuse; always 0 unless something is wrong with Prunus."""


@dataclass(frozen=True, slots=True)
class SessionResult:
    """One session."""

    path: str
    session: str
    agent: str
    model: str
    """Empty where the recording does not tell."""
    known: bool
    """Whether the price table knows the model; the default price counts otherwise."""
    total: Total
    strategies: Mapping[str, Effect]
    lifetime: str = ""
    """How long its cache lived, as in `cache_control.ttl`, where the recording tells."""


@dataclass(frozen=True, slots=True)
class File:
    """What one file gave."""

    path: str
    rows: tuple[SessionResult, ...] = ()
    skipped: int = 0
    """Damaged records in it."""
    copies: int = 0
    """Sessions in it that are whole in another file."""
    failure: str = ""
    """Why the file, or the rest of it, could not be read."""


def total(rows: Iterable[SessionResult]) -> Total:
    """All sessions together."""
    totals = [row.total for row in rows]
    return Total(**{field.name: sum(getattr(one, field.name) for one in totals) for field in fields(Total)})


def by_agent(rows: Iterable[SessionResult]) -> dict[str, Total]:
    """The sessions of each agent together."""
    agents: dict[str, list[SessionResult]] = {}
    for row in rows:
        agents.setdefault(row.agent, []).append(row)
    return {agent: total(group) for agent, group in sorted(agents.items())}


def strategies(rows: Iterable[SessionResult]) -> dict[str, Effect]:
    """What each strategy did in all sessions, the one that kept most out first."""
    groups: dict[str, list[Effect]] = {}
    for row in rows:
        for name, effect in row.strategies.items():
            groups.setdefault(name, []).append(effect)
    sums = {
        name: Effect(**{field.name: sum(getattr(one, field.name) for one in group) for field in fields(Effect)})
        for name, group in groups.items()
    }
    return dict(sorted(sums.items(), key=lambda item: (-item[1].kept, item[0])))


def least(rows: Iterable[SessionResult], count: int = 5) -> tuple[SessionResult, ...]:
    """The sessions that gained least, the dearer first where the gain is the same."""
    ranked = sorted(rows, key=lambda row: (-share(row.total.cost, row.total.unpruned), -row.total.unpruned))
    return tuple(ranked[:count])


def record(row: SessionResult) -> dict[str, Any]:
    """A session as plain data, for programs."""
    named = {name: asdict(effect) for name, effect in row.strategies.items()}
    beside = {"path": row.path, "session": row.session, "agent": row.agent, "model": row.model, "known": row.known}
    beside["lifetime"] = row.lifetime
    numbers = {name: value for name, value in asdict(row.total).items() if name != "sessions"}
    return {**beside, **numbers, "strategies": named}


def share(part: float, whole: float) -> float:
    """A part of a whole; all of it where there is none."""
    return part / whole if whole else 1.0


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
