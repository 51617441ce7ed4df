"""Replay a user's own sessions without and with Prunus, and sum up the savings.

The prices of a session are those of its own model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from prunus.lab.beside import RIVALS, Alternative, alternatives
from prunus.lab.conversations import Known, RecordedConversation, for_each_conversation, repeats
from prunus.lab.cost import cost, is_cold
from prunus.lab.loss import Rate, events, lost_rate
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
from prunus.settings.presets import LEVELS
from prunus.strategies.step_markers import StepMarkers
from prunus.tally import Tally


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one strategy."""

    edits: int = 0
    """The number of its edits in the last request of each session."""
    tokens: int = 0
    """The tokens that these edits keep out of the last requests."""
    kept: int = 0
    """The tokens that it kept out of all requests together."""
    saved: float = 0.0
    """Its share of the net savings, in tokens of uncached input, by the price of the tokens it kept out."""


@dataclass(frozen=True, slots=True)
class Total:
    """Sums over sessions; costs are in tokens of uncached input."""

    sessions: int = 0
    requests: int = 0
    copied: int = 0
    """Requests that a resumed session repeats from another file. They count in that file only."""
    unpruned_tokens: int = 0
    """Tokens of all requests as the agent sent them."""
    tokens: int = 0
    """Tokens of all requests after pruning."""
    unpruned: float = 0.0
    """Cost without pruning."""
    cost: float = 0.0
    effective: float = 0.0
    """The cost including one more request for each part that the agent must read again."""
    unpruned_cached: int = 0
    """Tokens that the prompt cache would have provided without pruning."""
    cached: int = 0
    breaks: int = 0
    """Requests that break a warm cache only because Prunus changed the prefix."""
    lost: int = 0
    """Requests whose answer edits lines that the pruned request did not show."""
    hard: int = 0
    """Lines and files that later calls used."""
    hard_kept: int = 0
    soft: int = 0
    """Names that later calls used."""
    soft_kept: int = 0
    """Retained names anywhere in a request, also in a mere list of names."""
    in_place: int = 0
    """Retained names in an unchanged line or in a path."""
    refused: int = 0
    """Requests that Prunus could not read and sent unchanged."""
    invalid: int = 0
    """Pruned requests that a provider would refuse; more than 0 means a bug in Prunus."""


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The result of one session."""

    path: str
    session: str
    agent: str
    model: str
    """The model's name; empty if the recording does not say."""
    known: bool
    """Whether the price table knows the model; otherwise the default price applies."""
    total: Total
    strategies: Mapping[str, Effect]
    lifetime: str = ""
    """The lifetime of its prompt cache, as in `cache_control.ttl`; empty if the recording does not say."""
    beside: Mapping[str, Alternative] = field(default_factory=dict)
    """What the other levels and the rivals would have cost and lost."""


@dataclass(frozen=True, slots=True)
class File:
    """The results of one file."""

    path: str
    rows: tuple[SessionResult, ...] = ()
    skipped: int = 0
    """The number of damaged records."""
    copies: int = 0
    """The number of sessions that another file contains completely."""
    failure: str = ""
    """Why the lab could not read the file, or the rest of it."""


def total(rows: Iterable[SessionResult]) -> Total:
    """Return the sums over all sessions."""
    totals = [row.total for row in rows]
    return Total(**{one.name: sum(getattr(part, one.name) for part in totals) for one in fields(Total)})


def lost_events(rows: Iterable[SessionResult]) -> Rate:
    """Return the lost events per 1,000 requests, with an interval over sessions."""
    return lost_rate([(row.total.lost, row.total.requests) for row in rows])


def by_agent(rows: Iterable[SessionResult]) -> dict[str, Total]:
    """Return the sums over the sessions of each agent."""
    agents: dict[str, list[SessionResult]] = {}
    for row in rows:
        agents.setdefault(row.agent, []).append(row)
    return {agent: total(group) for agent, group in sorted(agents.items())}


def strategies(rows: Iterable[SessionResult]) -> dict[str, Effect]:
    """Return the effect of each strategy in all sessions, ordered by the tokens it kept out."""
    groups: dict[str, list[Effect]] = {}
    for row in rows:
        for name, effect in row.strategies.items():
            groups.setdefault(name, []).append(effect)
    sums = {
        name: Effect(**{one.name: sum(getattr(part, one.name) for part in group) for one in fields(Effect)})
        for name, group in groups.items()
    }
    return dict(sorted(sums.items(), key=lambda item: (-item[1].kept, item[0])))


def least(rows: Iterable[SessionResult], count: int = 5) -> tuple[SessionResult, ...]:
    """Return the sessions with the smallest savings; of equal ones the more expensive session comes first."""
    ranked = sorted(rows, key=lambda row: (-share(row.total.cost, row.total.unpruned), -row.total.unpruned))
    return tuple(ranked[:count])


def record(row: SessionResult) -> dict[str, Any]:
    """Return a session as plain data, for JSON output."""
    named = {name: asdict(effect) for name, effect in row.strategies.items()}
    beside = {"path": row.path, "session": row.session, "agent": row.agent, "model": row.model, "known": row.known}
    beside["lifetime"] = row.lifetime
    numbers = {name: value for name, value in asdict(row.total).items() if name != "sessions"}
    others = {name: asdict(one) for name, one in row.beside.items()}
    return {**beside, **numbers, "strategies": named, "beside": others}


def share(part: float, whole: float) -> float:
    """Return part / whole, or 1 if the whole is 0."""
    return part / whole if whole else 1.0


LEVEL: Final = "balanced"
"""The level that `prunus analyze` replays; `prunus replay` knows it by the same name."""


def analyse(
    paths: Sequence[Path], level: str = LEVEL, *, workers: int = 2, quiet: bool = False
) -> tuple[File, ...]:
    """Return the results of all files, in their order, and show progress on standard error."""
    work = partial(measure, level=level, known=repeats(paths, workers=workers))
    return spread_counted(work, paths, workers=workers, quiet=quiet)


def measure(path: Path, gauge: Gauge | None = None, *, level: str = LEVEL, known: Known | None = None) -> File:
    """Return the results of all sessions of one file."""
    gauge = gauge or Gauge()
    told = (known or {}).get(str(path), ())
    replays = len({level, *LEVELS, *RIVALS})
    gauge.expect(replays * sum(repeat.requests for repeat in told if repeat.copied < repeat.requests))
    read = for_each_conversation(path, partial(_row, path, level, gauge), known)
    return File(str(path), read.found, read.skipped, read.copies, read.failure)


def _row(path: Path, level: str, gauge: Gauge, piece: RecordedConversation) -> SessionResult:
    session, copied, price = piece.session, piece.copied, piece.price
    reader = Reader(provider_named(session.format))
    chosen = policy_named(level, price, piece.window)
    assert isinstance(chosen, Pruned)
    policy = _Watched(chosen)
    before = replay(session, Unpruned(), reader).since(copied)
    whole = replay(session, Counted(policy, gauge), reader)
    after = whole.since(copied)
    unpruned, paid = cost(before, price), cost(after, price)
    needs = Needs(session, reader).since(copied)
    kept = retention(needs, whole)
    numbers = Total(
        1,
        len(session.requests) - copied,
        copied,
        unpruned.tokens,
        paid.tokens,
        unpruned.cost,
        paid.cost,
        paid.cost + sum(part.cost(price) for part in kept.lost),
        _cached(before, price),
        _cached(after, price),
        _breaks(before, after, price),
        events(kept.lost),
        kept.hard,
        kept.hard_kept,
        kept.soft,
        kept.soft_kept,
        kept.in_place,
        policy.refused,
        paid.invalid,
    )
    effects = _effects(policy.tallies[copied:], after, price, unpruned.cost - paid.cost)
    table = price_of(session.model) != DEFAULT
    return SessionResult(
        str(path),
        session.name,
        session.agent,
        session.model,
        table,
        numbers,
        effects,
        piece.lifetime,
        alternatives(piece, reader, needs, level, gauge),
    )


class _Watched(PrunusSender):
    """Runs Prunus in one session and records what its strategies did.

    The record omits step markers, because they are bookkeeping of the client that never reaches the model.
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
    """Return the effect of each strategy; each gets a share of `saved` by the price of the tokens it kept out."""
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
    """Return the tokens that all requests read from the prompt cache."""
    warm = (one.cached for one in replayed.requests if not is_cold(one, price))
    return sum(cached for cached in warm if cached >= price.minimum)


def _breaks(before: Replay, after: Replay, price: Price) -> int:
    """Return the number of pruned requests that break a warm cache although the unpruned request would not."""
    return sum(
        new.broken > 0 >= old.broken and not is_cold(new, price)
        for old, new in zip(before.requests, after.requests, strict=True)
    )
