"""The prices of prompt caches, by model family, relative to the price of uncached input.

Pruning needs only ratios: the price of reading a cached token, the price of writing one, the lifetime of the cache
without use, and the length from which on the whole request costs more. Prices change, so each row names its source
and date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from prunus.errors import SettingsError

Overrides = Mapping[str, Mapping[str, float | None]]
"""A pattern on the model's name, and the fields of its price that differ. The first matching pattern counts."""

_UNITS: Final = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Price:
    """How a prompt cache charges; all prices are relative to an uncached input token."""

    read: float
    """Price of a token that is found in the cache."""
    write: float
    """Price of a token that is not in the cache yet and is written to it."""
    ttl: float
    """Seconds for which the cache lives without use."""
    minimum: int
    """Shortest prefix that is cached, in tokens."""
    tier: int | None = None
    """Length in tokens above which the whole request costs `tier_factor` times as much."""
    tier_factor: float = 1.0
    long_write: float | None = None
    """Price of a write that lives for `long_ttl`, where the provider offers one."""
    long_ttl: float = 3600.0


@dataclass(frozen=True, slots=True)
class Row:
    """A family of models and its price.

    Patterns are shell patterns in lower case, with `-` for every dot, as in `*gpt-5-6*`.
    """

    models: tuple[str, ...]
    price: Price
    source: str


def _anthropic(read: float, minimum: int, tier: int | None = None, tier_factor: float = 1.0) -> Price:
    return Price(read, 1.25, 300, minimum, tier, tier_factor, long_write=2.0)


def _openai(read: float, tier: int | None = None) -> Price:
    return Price(read, 1.0, 300, 1024, tier, 2.0 if tier else 1.0, long_write=1.0, long_ttl=86_400)


def _openai_with_writes(read: float) -> Price:
    return Price(read, 1.25, 1800, 1024, 272_000, 2.0)


_MAP: Final = "price map of litellm 1.106.2, 2026-11"
_CLAUDE: Final = f"{_MAP}; minimum: platform.claude.com, 2026-11"
_HAIKU: Final = "platform.claude.com as quoted by the crates synaps and claude-session-parser, 2026-10"
_OPENAI: Final = f"{_MAP}; tier: codex#32486; lifetime: 5 to 10 minutes, a day on request, as known 2026"
_OPENAI_6: Final = f"{_MAP}; tier: litellm discussion 39633, 2026-09; lifetime: at least 30 minutes"
_OPENAI_4: Final = "OpenAI's price page of 2026-11-05; lifetime as for GPT-5"
_GOOGLE: Final = f"{_MAP}; minimum: ai.google.dev, 2026-07; no lifetime is stated, 5 minutes assumed"
_DEEPSEEK: Final = f"{_MAP}; the cache is on disk for 'hours', 2 assumed"

ROWS: Final[tuple[Row, ...]] = (
    # The minimum is not published for the models of 5.1 and 5.5: that of the version before them is assumed.
    Row(("*fable-5-1*", "*mythos-5-1*"), _anthropic(0.025, 512), _CLAUDE),
    Row(("*opus-5-5*",), _anthropic(0.05, 512), _CLAUDE),
    Row(("*sonnet-5-5*",), _anthropic(0.05, 1024), _CLAUDE),
    Row(("*haiku-5-5*",), _anthropic(0.1, 4096, tier=100_000, tier_factor=5.0), _HAIKU),
    Row(("*opus-5*", "*fable-5*", "*mythos-5*"), _anthropic(0.1, 512), _CLAUDE),
    Row(("*opus-4-7*", "*claude-3*haiku*"), _anthropic(0.1, 2048), _CLAUDE),
    Row(("*opus-4-5*", "*opus-4-6*", "*haiku-4-5*"), _anthropic(0.1, 4096), _CLAUDE),
    Row(("*claude*",), _anthropic(0.1, 1024), _CLAUDE),
    Row(("*gpt-6-1-sol*",), _openai_with_writes(0.05), _OPENAI_6),
    Row(("*gpt-6*", "*gpt-5-6*"), _openai_with_writes(0.1), _OPENAI_6),
    Row(
        ("*gpt-5-pro*", "*gpt-5-*-pro*"),
        _openai(1.0, tier=272_000),
        f"{_MAP}: cached tokens cost as much as others",
    ),
    Row(("*gpt-5*",), _openai(0.1, tier=272_000), _OPENAI),
    Row(("*gpt-4-1*", "o3", "o3-2*", "o4-mini*", "codex-mini*"), _openai(0.25), _OPENAI_4),
    Row(("*gpt-4o*", "o1*", "o3-mini*"), _openai(0.5), _OPENAI_4),
    Row(("*gemini-2-5*pro*",), Price(0.1, 1.0, 300, 2048, 200_000, 2.0), _GOOGLE),
    Row(("*gemini-2-5*",), Price(0.1, 1.0, 300, 2048), _GOOGLE),
    Row(("*gemini*pro*",), Price(0.1, 1.0, 300, 4096, 200_000, 2.0), _GOOGLE),
    Row(("*gemini*",), Price(0.1, 1.0, 300, 4096), _GOOGLE),
    Row(("*deepseek-chat*", "*deepseek-reasoner*"), Price(0.1, 1.0, 7200, 64), _DEEPSEEK),
    Row(("*deepseek-v3*",), Price(0.1, 1.0, 7200, 64), "DeepSeek's prices as known 2025-12"),
    Row(("*deepseek*pro*",), Price(0.033, 1.0, 7200, 64), _DEEPSEEK),
    Row(("*deepseek*",), Price(0.02, 1.0, 7200, 64), _DEEPSEEK),
)
"""The first row with a pattern that matches gives the price."""

DEFAULT: Final = Price(0.1, 1.25, 300, 1024)
"""Price of a model that no row matches.

It has the read price that most families share, and the dearer of the two usual write prices, so that Prunus never
takes a cache break for cheaper than it is.
"""

NAMED_ROWS: Final[Mapping[str, Price]] = {
    f"{read}/{write}": Price(read, write, ttl, 0)
    for read, write, ttl in (
        (0.1, 1.25, 300),
        (0.025, 1.25, 300),
        (0.5, 1.0, 300),
        (0.02, 1.0, 7200),
        (0.05, 1.25, 300),
        (0.1, 1.0, 300),
    )
}
"""The rows that the lab reports, named read/write: no tier and no minimum, so that only the ratio counts.

0.02/1.0 is DeepSeek's, whose cache is on disk and lives for hours.
"""


def price_of(model: str, overrides: Overrides | None = None) -> Price:
    """Return the price of a model by its name, with or without the provider's prefix."""
    price = next((row.price for row in ROWS if any(matches(pattern, model) for pattern in row.models)), DEFAULT)
    own = next((changes for pattern, changes in (overrides or {}).items() if matches(pattern, model)), {})
    unknown = own.keys() - {field.name for field in fields(Price)}
    if unknown:
        allowed = ", ".join(field.name for field in fields(Price))
        raise SettingsError(f"prices: {', '.join(sorted(unknown))}: no such field of a price; allowed: {allowed}")
    changes: dict[str, Any] = dict(own)
    return replace(price, **changes)


def with_ttl(price: Price, ttl: str | None) -> Price:
    """Return the price of a request that asks for a lifetime, as in `cache_control.ttl` "1h"."""
    found = re.fullmatch(r"(\d+)([smh])", ttl or "")
    if found is None or price.long_write is None or int(found[1]) * _UNITS[found[2]] < price.long_ttl:
        return price
    return replace(price, write=price.long_write, ttl=price.long_ttl)


def request_cost(price: Price, tokens: int, cached: int) -> float:
    """Return the cost of a request whose first tokens are cached, in uncached input tokens."""
    if tokens < price.minimum:
        cost = float(tokens)
    else:
        found = min(cached, tokens) if cached >= price.minimum else 0
        cost = found * price.read + (tokens - found) * price.write
    return cost * price.tier_factor if price.tier is not None and tokens > price.tier else cost


def matches(pattern: str, model: str) -> bool:
    """Return whether a pattern matches the name of a model, with or without the provider's name before it."""
    pattern, name = (text.lower().replace(".", "-") for text in (pattern, model))
    return fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("/")[2], pattern)


_USUAL_WINDOW: Final = 200_000
"""The window of a model that no row matches."""

WINDOWS: Final[tuple[tuple[str, int], ...]] = (
    ("*gemini*", 1_000_000),
    ("*gpt-4-1*", 1_000_000),
    ("*gpt-5*", 272_000),
    ("*gpt-6*", 272_000),
    ("*gpt-4o*", 128_000),
    ("*deepseek*", 128_000),
    ("*kimi*", 256_000),
    ("*qwen*", 256_000),
    ("*claude*", 200_000),
)
"""Input tokens, as the providers state them in 2026-11; the smaller figure where there are tiers."""


def window_of(model: str) -> int:
    """Return the context window of a model in tokens, by its name."""
    return next((size for pattern, size in WINDOWS if matches(pattern, model)), _USUAL_WINDOW)
