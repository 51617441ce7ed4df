"""Sums over the conversations of one policy at one price, which can be added in any order.

All sums are whole numbers, costs in millionths of a token. So the sums of shards, added up, are those of one run to
the digit, however the conversations were divided.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from prunus.lab.run import Measurement

COSTS: Final = ("cost", "unpruned", "effective")
"""Fields of a measurement that are summed in millionths."""
COUNTS: Final = (
    "requests", "tokens", "unpruned_tokens", "peak", "unpruned_peak", "breaks", "flushes", "undeclared", "invalid",
    "lines", "lines_kept", "files", "files_kept", "soft", "soft_kept", "in_place",
)  # fmt: skip
"""Fields of a measurement that are summed as they are."""
MILLION: Final = 1_000_000


@dataclass(slots=True)
class GroupSums:
    """The sums of one policy at one price."""

    policy: str
    prices: str
    conversations: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    """The sum of each field of COSTS and COUNTS."""
    losses: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How many conversations had so many lost events in so many requests."""
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
