"""The Strategy Effectiveness box: which strategy saved how much."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from rich.cells import cell_len

from prunus.engine import Tally
from prunus.report.numbers import short
from prunus.strategies import ALL

__all__ = ["effectiveness"]

_FAMILY: Final = "Auto-Supersede"
_LABEL: Final = re.compile(r"(\w*?)\s*supersede\b", re.IGNORECASE)
_WIDTH: Final = 60
_COLUMN: Final = 26
"""Where the counts end."""
_NAMES: Final = 44
"""Where the names of the family begin."""


def effectiveness(strategies: Mapping[str, Tally], *, shadow: bool = False) -> str:
    """A row for each strategy that found something, the one that saves most first; empty if none did."""
    kin = _family()
    family = {name: tally for name, tally in strategies.items() if name in kin}
    rows = {name: tally for name, tally in strategies.items() if name not in kin}
    if family:
        rows[_FAMILY] = Tally(sum(t.count for t in family.values()), sum(t.tokens for t in family.values()))
    if not rows:
        return ""
    lines = [f"Strategy Effectiveness{' (what each would have pruned)' if shadow else ''}:", "─" * _WIDTH]
    star = " ⭐"
    for name, tally in _ranked(rows):
        lines.append(f"{_row(f'  {name}', tally)} saved{star}")
        star = ""
        if name == _FAMILY:
            for member, count in _ranked(family):
                row = _row(f"    {kin[member]}", count)
                lines.append(f"{row}{' ' * max(2, _NAMES - cell_len(row))}{member}")
    return "\n".join(lines)


def _family() -> dict[str, str]:
    """The strategies that the seeds group as auto-supersede, each with its icon and the seeds' word for it."""
    found = {}
    for strategy in ALL:
        label = _LABEL.search(strategy.seed)
        if label is not None and label[1]:
            found[strategy.name] = f"{strategy.icon} {_word(label[1])}"
    return found


def _word(label: str) -> str:
    """The last word of a name: `stateQuery` is a query."""
    return label.lower() if label.isupper() else re.split(r"(?=[A-Z])", label)[-1].lower()


def _ranked(tallies: Mapping[str, Tally]) -> list[tuple[str, Tally]]:
    return sorted(tallies.items(), key=lambda item: (-item[1].tokens, -item[1].count, item[0]))


def _row(label: str, tally: Tally) -> str:
    room = " " * max(1, _COLUMN - cell_len(label) - len(str(tally.count)))
    prunes = "prune, " if tally.count == 1 else "prunes,"
    return f"{label}{room}{tally.count} {prunes} ~{short(tally.tokens).replace('K', 'k')}"
