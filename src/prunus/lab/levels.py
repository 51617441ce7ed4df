"""The levels of Prunus and the rivals in the report of `prunus analyze`, in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence

from prunus.lab.analysis import RIVALS, Alternative, SessionResult, in_dollars, share
from prunus.lab.cost import lost_rate
from prunus.lab.page import PageSection
from prunus.schedule.dollars import Money
from prunus.settings.presets import LEVELS
from prunus.text.numbers import dollars


def levels_in_words(rows: Sequence[SessionResult], money: Money, level: str) -> str:
    """Return what each level would have saved, in dollars where a price is known."""
    told = [f"{name} saves {_saved(rows, money, level, name)}" for name in LEVELS if _known(rows, level, name)]
    return f"By level: {', '.join(told)}." if len(told) > 1 else ""


def policies(rows: Sequence[SessionResult], money: Money, level: str) -> PageSection:
    """Return the levels of Prunus beside the rivals."""
    lines = []
    for name in (*LEVELS, *RIVALS):
        if not _known(rows, level, name):
            continue
        found = [_of(row, level, name) for row in rows]
        rate = lost_rate([(one.lost, row.total.requests) for one, row in zip(found, rows, strict=True)])
        words = f"Prunus, {name}{' (these tables)' * (name == level)}" if name in LEVELS else RIVALS[name]
        effective = share(sum(one.effective for one in found), _unpruned(rows))
        cost = share(sum(one.cost for one in found), _unpruned(rows))
        lines.append((words, f"{cost:.3f}", _saved(rows, money, level, name), f"{effective:.3f}", str(rate)))
    return PageSection(
        "Levels and rivals",
        ("policy", "cost", "saved", "effective cost", "lost per 1,000"),
        tuple(lines),
        "A level says how much Prunus may lose to save: `prunus run --level safe|balanced|lean`.",
    )


def _known(rows: Sequence[SessionResult], level: str, name: str) -> bool:
    return name == level or all(name in row.beside for row in rows)


def _of(row: SessionResult, level: str, name: str) -> Alternative:
    """Return one policy in a session: the one that was replayed, or one beside it."""
    return Alternative(row.total.cost, row.total.effective, row.total.lost) if name == level else row.beside[name]


def _unpruned(rows: Sequence[SessionResult]) -> float:
    return sum(row.total.unpruned for row in rows)


def _saved(rows: Sequence[SessionResult], money: Money, level: str, name: str) -> str:
    """Return what a policy saves: dollars of the sessions with a price, or a share of the cost of all."""

    def gain(row: SessionResult) -> float:
        return row.total.unpruned - _of(row, level, name).cost

    saved = in_dollars(rows, money, gain)
    return f"{share(sum(map(gain, rows)), _unpruned(rows)):.1%}" if saved is None else dollars(saved)
