"""The experience with an agent: how many parts were cut, and how many of them it asked for again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tried:
    """Parts that were cut, and those of them that were asked for again."""

    cut: int = 0
    expected: float = 0.0
    """How many of them were expected to be used again: the sum of their probabilities, where one is known."""
    asked: int = 0
    tokens: int = 0
    """The tokens of the parts that were asked for again."""

    def __add__(self, other: Tried) -> Tried:
        return Tried(
            self.cut + other.cut,
            self.expected + other.expected,
            self.asked + other.asked,
            self.tokens + other.tokens,
        )


@dataclass(frozen=True, slots=True)
class Experience:
    """The sums of many requests, by strategy and by kind of part."""

    requests: int = 0
    tried: Mapping[tuple[str, str], Tried] = field(default_factory=dict)
    """By the name of the strategy and the kind of the parts."""

    def __add__(self, other: Experience) -> Experience:
        tried = dict(self.tried)
        for key, more in other.tried.items():
            tried[key] = tried.get(key, Tried()) + more
        return Experience(self.requests + other.requests, tried)

    @property
    def total(self) -> Tried:
        return sum(self.tried.values(), Tried())

    @property
    def strategies(self) -> Mapping[str, Tried]:
        """The sums of each strategy."""
        return self._sums(lambda strategy, _: strategy)

    @property
    def kinds(self) -> Mapping[str, Tried]:
        """The sums of each kind of part."""
        return self._sums(lambda _, kind: kind)

    def _sums(self, name: Callable[[str, str], str]) -> Mapping[str, Tried]:
        found: dict[str, Tried] = {}
        for key, tried in self.tried.items():
            found[name(*key)] = found.get(name(*key), Tried()) + tried
        return found
