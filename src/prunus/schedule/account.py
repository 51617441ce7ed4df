"""The cost of a conversation so far, and its cost without pruning.

Both are in uncached input tokens, like the prices, and are counted when each request is sent. Tokens before the
first change are read from the provider's cache; the others are written. A schedule may risk the difference of both
costs.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """The sums over the requests so far."""

    whole: float = 0.0
    """What the requests would have cost without pruning."""
    paid: float = 0.0
    """What the requests have cost."""
    tokens: int = 0
    """The tokens of all messages of the newest request, before pruning."""

    @property
    def earned(self) -> float:
        """The savings so far, less the cost of the cache breaks."""
        return self.whole - self.paid

    def add(self, whole: float, paid: float, tokens: int) -> Account:
        """Return the account with one more request."""
        return Account(self.whole + whole, self.paid + paid, tokens)
