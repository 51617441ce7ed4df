"""What a conversation has cost so far, and what it would have cost without pruning.

In uncached input tokens, as the prices are, and counted request by request as each is sent: what stands before the
first change is read from the provider's cache, the rest is written. The difference is what a schedule may risk.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """The sums over the requests so far."""

    whole: float = 0.0
    """What the requests would have cost without pruning."""
    paid: float = 0.0
    """What they have cost."""
    tokens: int = 0
    """The tokens of all messages of the newest one, as they came."""

    @property
    def earned(self) -> float:
        """What pruning has brought in, net of the caches that it broke."""
        return self.whole - self.paid

    def add(self, whole: float, paid: float, tokens: int) -> Account:
        """With one more request."""
        return Account(self.whole + whole, self.paid + paid, tokens)
