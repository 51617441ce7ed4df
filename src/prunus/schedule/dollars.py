"""The prices of models in dollars, for bills and reports. The schedule needs only the ratios in `prices.py`.

This is the only table of dollar prices. Prices change, so `SOURCE` names its source and date.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final

from prunus.errors import SettingsError
from prunus.providers.usage import Usage
from prunus.schedule.prices import matches

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Tariff:
    """The prices of one model, in dollars per million tokens."""

    input: float
    cache_read: float
    cache_write: float
    output: float
    long_write: float | None = None
    """Price of a cache write that lives for an hour, where the provider offers one."""

    def dollars(self, usage: Usage, long_writes: int = 0) -> float:
        """Return the cost of a request; `long_writes` of its written tokens live for an hour."""
        long = self.cache_write if self.long_write is None else self.long_write
        cost = (
            usage.input * self.input
            + usage.cache_read * self.cache_read
            + (usage.cache_write - long_writes) * self.cache_write
            + long_writes * long
            + usage.output * self.output
        )
        return cost / _MILLION


def _with_marks(input: float, cache_read: float, output: float) -> Tariff:
    """Return a tariff whose cache writes cost a quarter more than input, or twice as much for an hour."""
    return Tariff(input, cache_read, 1.25 * input, output, 2 * input)


def _with_writes(input: float, cache_read: float, output: float) -> Tariff:
    """Return a tariff whose cache writes cost a quarter more than input."""
    return Tariff(input, cache_read, 1.25 * input, output)


def _automatic(input: float, cache_read: float, output: float) -> Tariff:
    """Return the tariff of an automatic cache, whose writes cost as much as input."""
    return Tariff(input, cache_read, input, output)


SOURCE: Final = "price map of litellm 1.106.2, 2026-11, short contexts"
"""The source of all rows of `TARIFFS`."""


TARIFFS: Final[tuple[tuple[str, Tariff], ...]] = (
    ("*fable-5-1*", _with_marks(10, 0.25, 50)),
    ("*mythos-5-1*", _with_marks(10, 0.25, 50)),
    ("*fable-5*", _with_marks(10, 1, 50)),
    ("*mythos-5*", _with_marks(10, 1, 50)),
    ("*opus-5-5*", _with_marks(4, 0.2, 20)),
    ("*sonnet-5-5*", _with_marks(2, 0.1, 10)),
    ("*haiku-5-5*", _with_marks(0.1, 0.01, 0.5)),
    ("*opus-5*", _with_marks(5, 0.5, 25)),
    ("*opus-4-[5678]*", _with_marks(5, 0.5, 25)),
    ("*sonnet-5*", _with_marks(2, 0.2, 10)),
    ("*sonnet-4*", _with_marks(3, 0.3, 15)),
    ("*haiku-4-5*", _with_marks(1, 0.1, 5)),
    ("*gpt-6-1-sol*", _with_writes(2, 0.1, 10)),
    ("*gpt-6-astra*", _with_writes(10, 1, 50)),
    ("*gpt-6-sol*", _with_writes(2, 0.2, 10)),
    ("*gpt-6-luna*", _with_writes(0.1, 0.01, 0.5)),
    ("*gpt-5-6-terra*", _with_writes(2, 0.2, 12)),
    ("*gpt-5-6-luna*", _with_writes(0.2, 0.02, 1.2)),
    ("*gpt-5-6-cyber*", _with_writes(12.5, 1.25, 75)),
    ("*gpt-5-6*", _with_writes(4, 0.4, 20)),
    ("*gpt-5-5-cyber*", _automatic(12.5, 1.25, 75)),
    ("*gpt-5-pro*", _automatic(15, 15, 120)),
    ("*gpt-5-2-pro*", _automatic(21, 21, 168)),
    ("*gpt-5-[45]-pro*", _automatic(30, 30, 180)),
    ("*gpt-5-5*", _automatic(5, 0.5, 30)),
    ("*gpt-5-4-mini*", _automatic(0.75, 0.075, 4.5)),
    ("*gpt-5-4-nano*", _automatic(0.2, 0.02, 1.25)),
    ("*gpt-5-4*", _automatic(2.5, 0.25, 15)),
    ("*gpt-5-[23]*", _automatic(1.75, 0.175, 14)),
    ("*gpt-5-1*mini*", _automatic(0.25, 0.025, 2)),
    ("*gpt-5-mini*", _automatic(0.25, 0.025, 2)),
    ("*gpt-5-nano*", _automatic(0.05, 0.005, 0.4)),
    ("*gpt-5*", _automatic(1.25, 0.125, 10)),
    ("*gpt-4-1-mini*", _automatic(0.4, 0.1, 1.6)),
    ("*gpt-4-1-nano*", _automatic(0.1, 0.025, 0.4)),
    ("*gpt-4-1*", _automatic(2, 0.5, 8)),
    ("*gpt-4o-mini*", _automatic(0.15, 0.075, 0.6)),
    ("*gpt-4o*", _automatic(2.5, 1.25, 10)),
    ("o3", _automatic(2, 0.5, 8)),
    ("o3-2*", _automatic(2, 0.5, 8)),
    ("o4-mini*", _automatic(1.1, 0.275, 4.4)),
    ("*gemini-2-5-pro*", _automatic(1.25, 0.125, 10)),
    ("*gemini-2-5-flash-lite*", _automatic(0.1, 0.01, 0.4)),
    ("*gemini-2-5-flash*", _automatic(0.3, 0.03, 2.5)),
    ("*gemini-3-5-flash-lite*", _automatic(0.3, 0.03, 2.5)),
    ("*gemini-3-5-flash*", _automatic(1.5, 0.15, 9)),
    ("*gemini-3-8-flash-cyber*", _automatic(1.5, 0.15, 7.5)),
    ("*gemini-3-[678]-flash*", _automatic(0.75, 0.075, 3.75)),
    ("*deepseek-v4-pro*", _automatic(1.32, 0.044, 3.96)),
    ("*deepseek*flash*", _automatic(0.3, 0.006, 1.2)),
    ("*deepseek-chat*", _automatic(0.28, 0.028, 0.42)),
    ("*deepseek-reasoner*", _automatic(0.28, 0.028, 0.42)),
)
"""Families of models with their prices. The first row whose pattern matches the name of a model counts.

A pattern is a shell pattern in lower case, with `-` for every dot.
"""


def tariff_of(model: str, own: tuple[tuple[str, Tariff], ...] = ()) -> Tariff | None:
    """Return the prices of a model, the user's own first; None if no row matches."""
    name = model.lower().replace(".", "-").rpartition("/")[2]
    return next((tariff for pattern, tariff in (*own, *TARIFFS) if fnmatchcase(name, pattern)), None)


def read_tariff(text: str) -> tuple[str, Tariff]:
    """Parse `INPUT,READ,WRITE,OUTPUT` for every model, or `PATTERN=INPUT,READ,WRITE,OUTPUT`."""
    pattern, prices = _parse(text)
    if len(prices) != 4:
        raise SettingsError(
            f"price {text!r}: give INPUT,CACHE_READ,CACHE_WRITE,OUTPUT in dollars per million tokens, or "
            "PATTERN=... for some models, such as 'local-*=1,0.1,1,4'"
        )
    return pattern, Tariff(*prices)


def _parse(text: str) -> tuple[str, list[float]]:
    """Return the pattern of `PATTERN=PRICE,...`, `*` if there is none, and the prices; none if one is no price."""
    pattern, _, numbers = text.rpartition("=")
    try:
        prices = [float(number) for number in numbers.split(",")]
    except ValueError:
        prices = []
    valid = all(0 <= price < float("inf") for price in prices)
    return (pattern or "*").lower().replace(".", "-"), prices if valid else []


@dataclass(frozen=True, slots=True)
class Money:
    """The dollars of an uncached input token of each model. All other modules count costs in such tokens."""

    own: tuple[tuple[str, float], ...] = ()
    """The user's prices of a million tokens, by a pattern on the model's name. They override the table."""
    shown: bool = True
    """Whether reports show dollars at all."""

    def of(self, model: str) -> float | None:
        """Return the dollars of one uncached input token of a model; None if no price is known."""
        if not self.shown:
            return None
        own = next((price for pattern, price in self.own if matches(pattern, model)), None)
        if own is not None:
            return own / _MILLION
        known = tariff_of(model)
        return None if known is None else known.input / _MILLION

    def with_prices(self, given: Iterable[str]) -> Money:
        """Return this with prices such as `3`, for every model, or `claude-opus*=5`, which override all others."""
        prices = []
        for text in given:
            pattern, dollars = _parse(text)
            if len(dollars) != 1:
                raise SettingsError(f"--input-price {text}: give USD, or PATTERN=USD such as 'claude*=3'")
            prices.append((pattern, dollars[0]))
        # A price for some models goes before a price for all models, whatever their order on the command line.
        prices.sort(key=lambda price: price[0] == "*")
        return replace(self, own=(*prices, *self.own))
