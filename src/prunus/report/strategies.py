"""The cuts of each strategy, their savings in tokens and money, and how many were asked for again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prunus.schedule.dollars import Money
from prunus.spending import Earnings
from prunus.text.numbers import dollars, short


def strategy_records(earned: Iterable[Earnings], money: Money) -> list[dict[str, Any]]:
    """The sums of each strategy over all models, the one that earned most first."""
    found: dict[str, dict[str, Any]] = {}
    for one in earned:
        record = found.setdefault(
            one.strategy,
            {"strategy": one.strategy, "cuts": 0, "tokens": 0, "kept_out": 0, "saved": 0.0, "asked_again": 0},
        )
        for name in ("cuts", "tokens", "kept_out", "saved", "asked_again"):
            record[name] += getattr(one, name)
        price = money.of(one.model)
        if price is not None:
            record["dollars_saved"] = record.get("dollars_saved", 0.0) + price * one.saved
    return sorted(found.values(), key=lambda record: (-record["saved"], record["strategy"]))


def strategy_table(
    records: Sequence[Mapping[str, Any]], *, money: bool
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The headings and rows of a table."""
    headings = ("strategy", "cuts", "tokens", "kept out", "saved", "asked again", "")
    rows: list[tuple[str, ...]] = []
    for record in records:
        gain = dollars(record["dollars_saved"]) if "dollars_saved" in record else "-"
        rows.append(
            (
                record["strategy"],
                f"{record['cuts']:,}",
                short(record["tokens"]),
                short(record["kept_out"]),
                gain if money else short(round(record["saved"])),
                f"{record['asked_again']:,}",
                f"{record['asked_again'] / max(1, record['cuts']):.1%}",
            )
        )
    return headings, rows
