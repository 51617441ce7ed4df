"""What Prunus would have made of somebody's own sessions, as numbers that can be summed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


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
