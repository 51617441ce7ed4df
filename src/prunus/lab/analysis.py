"""The result of replaying a user's own sessions, and the sums over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from prunus.lab.conversations import FileResults
from prunus.lab.cost import Rate, Writes, lost_rate
from prunus.lab.run import Measurement
from prunus.schedule.dollars import Money
from prunus.spending import DayTotals, Earnings

LEVEL: Final = "balanced"
"""The level that `prunus analyze` replays; `prunus replay` knows it by the same name."""
RIVALS: Final = {
    "mask:10:30000": "all but the newest 10 results masked, in batches",
    "clear:100000:3": "Anthropic's rule: past 100k tokens all but 3 cleared",
}
"""The rivals that need no package, and what they do."""
_RECORDED: Final = (
    "path", "session", "agent", "model", "known", "lifetime", "first", "last", "project", "billed",
    "writes_unpruned", "writes", "requests", "copied", "unpruned_tokens", "tokens", "unpruned", "cost", "effective",
    "unpruned_cached", "cached", "breaks", "lost", "hard", "hard_kept", "soft", "soft_kept", "in_place",
    "refused", "invalid",
)  # fmt: skip
"""The fields of a session in JSON output."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResult(Measurement):
    """One session at the level that the user chose, and what `prunus analyze` tells beyond `prunus replay`."""

    path: str
    known: bool
    """Whether the price table knows the model; otherwise the default price applies."""
    copied: int = 0
    """Requests that a resumed session repeats from another file. They count in that file only."""
    unpruned_cached: int = 0
    """Tokens that the prompt cache would have provided without pruning."""
    cached: int = 0
    own_breaks: int = 0
    """Requests that break a warm cache only because Prunus changed the prefix."""
    refused: int = 0
    """Requests that Prunus could not read and sent unchanged."""
    strategies: Mapping[str, Effect] = field(default_factory=dict)
    beside: Mapping[str, Measurement] = field(default_factory=dict)
    """The same session at the other levels, and with the rivals."""
    lifetime: str = ""
    """The lifetime of its prompt cache, as in `cache_control.ttl`; empty if the recording does not say."""
    first: float | None = None
    """The time of its first request; None if the recording does not say."""
    last: float | None = None
    project: str = ""
    """The folder that the agent worked in, or the folder of the recording."""
    billed: bool = False
    """Whether its tokens are counted as the provider counted them."""
    writes_unpruned: Writes = field(default_factory=dict)
    writes: Writes = field(default_factory=dict)
    """Why its requests write to the prompt cache."""


File = FileResults[SessionResult]


def total(rows: Sequence[SessionResult]) -> SessionResult:
    """Return the sum of each number over one or more sessions, in the shape of one session."""
    names = [one.name for one in fields(SessionResult) if one.type in ("int", "float")]
    return replace(rows[0], **{name: sum(getattr(row, name) for row in rows) for name in names})


def in_dollars(rows: Iterable[SessionResult], money: Money, cost: Callable[[SessionResult], float]) -> float | None:
    """Return a cost of the sessions whose dollar price is known; None if there are none."""
    known = [price * cost(row) for row in rows if (price := money.of(row.model)) is not None]
    return sum(known) if known else None


def lost_events(rows: Iterable[Measurement]) -> Rate:
    """Return the lost events per 1,000 requests, with an interval over sessions."""
    return lost_rate((row.lost, row.requests) for row in rows)


def by_agent(rows: Iterable[SessionResult]) -> dict[str, list[SessionResult]]:
    """Return the sessions of each agent."""
    agents: dict[str, list[SessionResult]] = {}
    for row in rows:
        agents.setdefault(row.agent, []).append(row)
    return dict(sorted(agents.items()))


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
    ranked = sorted(rows, key=lambda row: (-share(row.cost, row.unpruned), -row.unpruned))
    return tuple(ranked[:count])


def record(row: SessionResult) -> dict[str, Any]:
    """Return a session as plain data, for JSON output."""
    about = {name: getattr(row, name) for name in _RECORDED}
    beside = {
        name: {"cost": one.cost, "effective": one.effective, "lost": one.lost} for name, one in row.beside.items()
    }
    return {**about, "breaks": row.own_breaks, "strategies": row.strategies, "beside": beside}


def share(part: float, whole: float) -> float:
    """Return part / whole, or 1 if the whole is 0."""
    return part / whole if whole else 1.0


def as_days(row: SessionResult, day: str) -> DayTotals:
    """Return a session as the sums of one day."""
    return DayTotals(
        day,
        row.agent,
        row.model,
        row.project,
        requests=row.requests,
        tokens_before=row.unpruned_tokens,
        tokens_after=row.tokens,
        input=row.tokens - row.cached,
        cache_read=row.cached,
        cost=row.cost,
        cost_unpruned=row.unpruned,
        breaks=row.own_breaks,
    )


def writes_as_days(row: SessionResult, pruned: bool) -> Iterator[DayTotals]:
    """Return what a session writes to the prompt cache, one row for each reason."""
    for reason, (requests, tokens) in (row.writes if pruned else row.writes_unpruned).items():
        if reason == "new":
            yield DayTotals("", model=row.model, requests=requests, input=tokens)
        else:
            yield DayTotals("", model=row.model, missed_for=reason, requests=requests, input=tokens, missed=tokens)


def earnings(rows: Iterable[SessionResult]) -> list[Earnings]:
    """Return what each strategy did in each session."""
    return [
        Earnings(name, row.model, effect.edits, effect.tokens, effect.kept, effect.saved, 0)
        for row in rows
        for name, effect in row.strategies.items()
    ]
