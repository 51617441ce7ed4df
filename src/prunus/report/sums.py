"""What some requests saved, in one line."""

from __future__ import annotations

from dataclasses import dataclass

from prunus.report.numbers import percent, short
from prunus.store.records import Exchange

__all__ = ["Sums"]


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums over requests; those of shadow runs are kept apart from those that were pruned."""

    requests: int = 0
    before: int = 0
    after: int = 0
    cost: float = 0.0
    unpruned: float = 0.0

    def add(self, exchange: Exchange) -> Sums:
        """With one more request."""
        return Sums(
            self.requests + 1,
            self.before + exchange.tokens_before,
            self.after + exchange.tokens_after,
            self.cost + exchange.cost,
            self.unpruned + exchange.cost_unpruned,
        )

    def line(self, *, shadow: bool) -> str:
        """What was left out and what that cost, or what would have been."""
        saved = self.before - self.after
        done = f"left out {short(saved)} of" if saved >= 0 else f"added {short(-saved)} to"
        many = "request" if self.requests == 1 else "requests"
        would = "would have " if shadow else ""
        line = f"Prunus {would}{done} {short(self.before)} tokens in {self.requests:,} {many}"
        if self.unpruned:
            part = round(self.unpruned - self.cost)
            share = f"{percent(abs(part), round(self.unpruned))} {'below' if part >= 0 else 'above'}"
            line += (
                f"; input cost {short(round(self.cost))}, {short(round(self.unpruned))} without pruning ({share})"
            )
        return f"Shadow, nothing was changed: {line}" if shadow else line
