"""The cost of requests and the savings of strategies, as sums for tables, in uncached input tokens of the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class DayTotals:
    """The sums of the exchanges of one day with one agent, model and project."""

    day: str
    """The local date, as 2026-01-31."""
    client: str = ""
    model: str = ""
    project: str = ""
    """The folder that the agent worked in; empty if its requests do not say."""
    missed_for: str = ""
    """Why these exchanges missed the prompt cache; empty if they did not. See `prunus.proxy.misses`."""
    requests: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    cost: float = 0.0
    """In uncached input tokens of the model, as all costs are."""
    cost_unpruned: float = 0.0
    cost_of_breaks: float = 0.0
    breaks: int = 0
    missed: int = 0
    """Tokens that were written to the prompt cache once more."""

    @property
    def saved(self) -> float:
        """The net savings of pruning, after the cost of its cache breaks."""
        return self.cost_unpruned - self.cost

    @property
    def written(self) -> int:
        """The tokens that the provider did not find in its cache."""
        return self.input + self.cache_write


def summed(rows: Iterable[DayTotals]) -> DayTotals:
    """The sums of some rows, without a day or a name."""
    every = list(rows)
    names = [one.name for one in fields(DayTotals) if one.type != "str"]
    return DayTotals("", "", "", "", "", *(sum(getattr(row, name) for row in every) for name in names))


@dataclass(frozen=True, slots=True)
class Earnings:
    """What a strategy did in the conversations of one model."""

    strategy: str
    model: str
    cuts: int
    tokens: int
    """The tokens that its cuts take from one request."""
    kept_out: int
    """The tokens that they have kept out of all requests since."""
    saved: float
    """Its share of the savings by the tokens that it kept out, less its cache breaks, in uncached input tokens."""
    asked_again: int
