"""The result of replaying a user's own sessions, and the sums over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from prunus.lab.conversations import FileResults
from prunus.lab.cost import Rate, Writes, lost_rate
from prunus.schedule.dollars import Money
from prunus.spending import DayTotals, Earnings

LEVEL: Final = "balanced"
"""The level that `prunus analyze` replays; `prunus replay` knows it by the same name."""
RIVALS: Final = {
    "mask:10:30000": "all but the newest 10 results masked, in batches",
    "clear:100000:3": "Anthropic's rule: past 100k tokens all but 3 cleared",
}
"""The rivals that need no package, and what they do."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One policy in one session; costs are in tokens of uncached input."""

    cost: float
    effective: float
    """The cost including one more request for each part that the agent must read again."""
    lost: int
    """Requests whose answer edits lines that the pruned request did not show."""


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


def total(rows: Iterable[SessionResult]) -> Total:
    """Return the sums over all sessions."""
    totals = [row.total for row in rows]
    return Total(**{one.name: sum(getattr(part, one.name) for part in totals) for one in fields(Total)})


def in_dollars(rows: Iterable[SessionResult], money: Money, cost: Callable[[SessionResult], float]) -> float | None:
    """Return a cost of the sessions whose dollar price is known; None if there are none."""
    known = [price * cost(row) for row in rows if (price := money.of(row.model)) is not None]
    return sum(known) if known else None


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
    """Return a session as plain data, for JSON output: its sums stand beside its other fields."""
    about = asdict(row)
    numbers, strategies, beside = (about.pop(name) for name in ("total", "strategies", "beside"))
    del numbers["sessions"]
    return {**about, **numbers, "strategies": strategies, "beside": beside}


def share(part: float, whole: float) -> float:
    """Return part / whole, or 1 if the whole is 0."""
    return part / whole if whole else 1.0


def as_days(row: SessionResult, day: str) -> DayTotals:
    """Return a session as the sums of one day."""
    one = row.total
    return DayTotals(
        day,
        row.agent,
        row.model,
        row.project,
        requests=one.requests,
        tokens_before=one.unpruned_tokens,
        tokens_after=one.tokens,
        input=one.tokens - one.cached,
        cache_read=one.cached,
        cost=one.cost,
        cost_unpruned=one.unpruned,
        breaks=one.breaks,
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
