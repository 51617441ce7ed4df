"""Why tokens were written to the prompt cache: they are new, or the cache had lost them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.schedule.dollars import Money
from prunus.schedule.prices import Price
from prunus.spending import DayTotals
from prunus.text.numbers import dollars, percent, short

NEW: Final = "new"
REASONS: Final = {
    NEW: "new messages",
    "first": "first request of a conversation",
    "compacted": "the client compacted its history",
    "forked": "the client changed earlier messages (undo, fork)",
    "prompt": "model, system text or tools changed",
    "expired": "the cache had expired",
    "cut": "Prunus cut something",
    "unknown": "the provider did not find what it had",
}
"""Each reason for which tokens are written, in words; `prunus.proxy.misses` finds them."""


@dataclass(frozen=True, slots=True)
class CacheWrites:
    """The tokens that were written to the cache for one reason."""

    reason: str
    requests: int
    tokens: int
    dollars: float | None
    """The price of writing them; None if no price is known."""


def writes(rows: Iterable[DayTotals], money: Money, price_of: Callable[[str], Price]) -> list[CacheWrites]:
    """Return the writes for each reason, in the order of `REASONS`; their sum is all that the providers wrote."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    for row in rows:
        new = row.written - row.missed
        found.setdefault(NEW, []).append((row.model, row.requests * (not row.missed_for), new))
        if row.missed_for:
            found.setdefault(row.missed_for, []).append((row.model, row.requests, row.missed))
    return [
        CacheWrites(
            reason,
            sum(requests for _, requests, _ in found[reason]),
            sum(tokens for _, _, tokens in found[reason]),
            _priced(found[reason], money, price_of),
        )
        for reason in REASONS
        if reason in found
    ]


def writes_table(found: Sequence[CacheWrites]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The headings and rows of a table."""
    whole = sum(one.tokens for one in found)
    rows: list[tuple[str, ...]] = [
        (
            REASONS[one.reason],
            f"{one.requests:,}",
            short(one.tokens),
            percent(one.tokens, whole),
            "-" if one.dollars is None else dollars(one.dollars),
        )
        for one in found
    ]
    return ("written because", "requests", "tokens", "", "price"), rows


def _priced(parts: Iterable[tuple[str, int, int]], money: Money, price_of: Callable[[str], Price]) -> float | None:
    known = [
        (dollar, price_of(model), tokens) for model, _, tokens in parts if (dollar := money.of(model)) is not None
    ]
    return sum(dollar * price.write * tokens for dollar, price, tokens in known) if known else None
