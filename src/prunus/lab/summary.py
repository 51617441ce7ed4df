"""Summarise many conversations in one line per policy and price.

All sums are whole numbers, costs in millionths of a token. So the sums of shards, added up in any order, are those
of one run to the digit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from prunus.lab.cost import Rate, counted_rate
from prunus.lab.run import Measurement

COSTS: Final = ("cost", "unpruned", "effective")
"""Fields of a measurement that are summed in millionths."""
COUNTS: Final = (
    "requests", "tokens", "unpruned_tokens", "peak", "unpruned_peak", "breaks", "flushes", "undeclared", "invalid",
    "lines", "lines_kept", "files", "files_kept", "soft", "soft_kept", "in_place",
)  # fmt: skip
"""Fields of a measurement that are summed as they are."""
MILLION: Final = 1_000_000
BOUNDS: Final = (("auto", "clairvoyant"), ("balanced", "clairvoyant"), ("acp@cache", "acp@clairvoyant"))
"""Pairs of a policy and the bound that makes the same edits but knows the future."""


@dataclass(slots=True)
class GroupSums:
    """The sums of one policy at one price."""

    policy: str
    prices: str
    conversations: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    """The sum of each field of COSTS and COUNTS."""
    losses: Counter[tuple[int, int]] = field(default_factory=Counter)
    """The number of conversations with each pair of lost events and requests."""
    worst: float = 0.0
    """The cost of the conversation with the smallest savings, relative to no pruning."""
    worst_session: str = ""

    def add(self, row: Measurement) -> None:
        """Add a conversation."""
        self.conversations += 1
        for name in COSTS:
            self.sums[name] += math.floor(getattr(row, name) * MILLION + 0.5)
        for name in COUNTS:
            self.sums[name] += getattr(row, name)
        self.losses[row.lost, row.requests] += 1
        self._take_worst(row.cost / row.unpruned if row.unpruned else 1.0, row.session)

    def merge(self, other: GroupSums) -> None:
        """Add the conversations of another sum."""
        self.conversations += other.conversations
        self.sums.update(other.sums)
        self.losses.update(other.losses)
        self._take_worst(other.worst, other.worst_session)

    def _take_worst(self, share: float, session: str) -> None:
        # Of equal ones the first name counts, so that the order makes no difference.
        if not self.worst_session or (-share, session) < (-self.worst, self.worst_session):
            self.worst, self.worst_session = share, session

    def share(self, part: str, whole: str) -> float:
        """Return the quotient of two sums, or 1 if the whole is 0."""
        return self.sums[part] / self.sums[whole] if self.sums[whole] else 1.0


@dataclass(frozen=True, slots=True)
class Summary:
    """Sums over conversations, relative to no pruning."""

    policy: str
    prices: str
    conversations: int
    requests: int
    cost: float
    effective: float
    worst: float
    """The cost of the conversation with the smallest savings."""
    worst_session: str
    tokens: float
    peak: float
    hard: float
    """Lines and files together."""
    lines: float
    files: float
    soft: float
    in_place: float
    """Retained names in an unchanged line or in a path."""
    lost: Rate
    """Lost events per 1,000 requests."""
    breaks: float
    """Cache breaks per 100 requests."""
    flushes: int
    """Changes of the prefix that the policy declared."""
    undeclared: int
    invalid: int


def summarise(rows: Iterable[Measurement]) -> tuple[Summary, ...]:
    """Return one summary for each policy at each price, in order of appearance."""
    groups: dict[tuple[str, str], GroupSums] = {}
    for row in rows:
        groups.setdefault((row.policy, row.prices), GroupSums(row.policy, row.prices)).add(row)
    return tuple(map(summary_of, groups.values()))


def summary_of(group: GroupSums) -> Summary:
    """Return the summary of these sums, as shares of no pruning."""
    sums = group.sums
    kept, needed = sums["lines_kept"] + sums["files_kept"], sums["lines"] + sums["files"]
    return Summary(
        group.policy,
        group.prices,
        group.conversations,
        sums["requests"],
        group.share("cost", "unpruned"),
        group.share("effective", "unpruned"),
        group.worst,
        group.worst_session,
        group.share("tokens", "unpruned_tokens"),
        group.share("peak", "unpruned_peak"),
        kept / needed if needed else 1.0,
        group.share("lines_kept", "lines"),
        group.share("files_kept", "files"),
        group.share("soft_kept", "soft"),
        group.share("in_place", "soft"),
        counted_rate(group.losses),
        100 * group.share("breaks", "requests"),
        sums["flushes"],
        sums["undeclared"],
        sums["invalid"],
    )


def regret(summaries: Iterable[Summary], policy: str, bound: str) -> dict[str, float]:
    """Return the cost of a policy divided by that of a bound, for each price at which both were measured."""
    costs = {(one.policy, one.prices): one.cost for one in summaries}
    return {
        prices: cost / costs[bound, prices]
        for (name, prices), cost in costs.items()
        if name == policy and costs.get((bound, prices))
    }


def table(summaries: Sequence[Summary]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return headings and cells, with one line for each policy and its cost at each price.

    A policy that knows the price differs between prices. Its worst session, retention and faults are the worst over
    all prices; its other values are those at the first price.
    """
    prices = tuple(dict.fromkeys(one.prices for one in summaries))
    policies = tuple(dict.fromkeys(one.policy for one in summaries))
    found = {(one.policy, one.prices): one for one in summaries}
    headings = (
        "policy", *prices, "worst", "effective", "lost/1000", "hard", "lines", "files", "soft", "tokens", "peak",
        "breaks/100", "flushes", "undeclared", "invalid",
    )  # fmt: skip
    lines = []
    for policy in policies:
        at = [found[policy, row] for row in prices if (policy, row) in found]
        first = at[0]
        lines.append(
            (
                policy,
                *(f"{found[policy, row].cost:.3f}" if (policy, row) in found else "-" for row in prices),
                f"{max(one.worst for one in at):.2f}",
                f"{first.effective:.3f}",
                str(max((one.lost for one in at), key=lambda lost: lost.value)),
                f"{min(one.hard for one in at):.3f}",
                f"{min(one.lines for one in at):.3f}",
                f"{min(one.files for one in at):.3f}",
                f"{min(one.in_place for one in at):.3f}",
                f"{first.tokens:.3f}",
                f"{first.peak:.3f}",
                f"{first.breaks:.1f}",
                f"{first.flushes:,}",
                str(max(one.undeclared for one in at)),
                str(max(one.invalid for one in at)),
            )
        )
    return headings, tuple(lines)
