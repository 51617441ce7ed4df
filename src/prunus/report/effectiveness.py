"""The Strategy Effectiveness box: which strategy saved how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rich.cells import cell_len

from prunus.report.numbers import short
from prunus.strategies.supersede import SUPERSEDE_ICONS, SUPERSEDED_BY
from prunus.tally import Tally

__all__ = ["auto_supersede", "effectiveness"]

_FAMILY: Final = "Auto-Supersede"
_WIDTH: Final = 60
_COLUMN: Final = 26
"""Where the counts end."""
_NAMES: Final = 44
"""Where the names of the family begin."""
_END: Final = 80
"""Where they end."""


def effectiveness(strategies: Mapping[str, Tally], *, shadow: bool = False) -> str:
    """A row for each strategy that found something, the one that saves most first; empty if none did."""
    kinds = {kind: tally for kind, tally in auto_supersede(strategies).items() if tally.count}
    rows = {name: tally for name, tally in strategies.items() if name not in SUPERSEDED_BY}
    if kinds:
        rows[_FAMILY] = Tally(sum(t.count for t in kinds.values()), sum(t.tokens for t in kinds.values()))
    if not rows:
        return ""
    lines = [f"Strategy Effectiveness{' (what each would have pruned)' if shadow else ''}:", "─" * _WIDTH]
    star = " ⭐"
    for name, tally in _ranked(rows):
        lines.append(f"{_row(f'  {name}', tally)} saved{star}")
        star = ""
        if name == _FAMILY:
            for kind, count in _ranked(kinds):
                row = _row(f"    {SUPERSEDE_ICONS[kind]} {kind}", count)
                members = [member for member in strategies if SUPERSEDED_BY.get(member) == kind]
                lines.append(f"{row}{' ' * max(2, _NAMES - cell_len(row))}{_fitting(members)}")
    return "\n".join(lines)


def auto_supersede(strategies: Mapping[str, Tally]) -> dict[str, Tally]:
    """What was superseded by each type of the seeds; those that found nothing are there too."""
    found = dict.fromkeys(map(str, SUPERSEDE_ICONS), Tally())
    for name, tally in strategies.items():
        kind = SUPERSEDED_BY.get(name)
        if kind is not None:
            found[kind] = found[kind].add(*tally)
    return found


def _fitting(names: list[str]) -> str:
    """As many names as a line of 80 columns has room for."""
    shown = ", ".join(names)
    if len(shown) <= _END - _NAMES:
        return shown
    while names and len(", ".join(names)) + len(", …") > _END - _NAMES:
        names = names[:-1]
    return ", ".join([*names, "…"])


def _ranked(tallies: Mapping[str, Tally]) -> list[tuple[str, Tally]]:
    return sorted(tallies.items(), key=lambda item: (-item[1].tokens, -item[1].count, item[0]))


def _row(label: str, tally: Tally) -> str:
    room = " " * max(1, _COLUMN - cell_len(label) - len(str(tally.count)))
    prunes = "prune, " if tally.count == 1 else "prunes,"
    return f"{label}{room}{tally.count} {prunes} ~{short(tally.tokens).replace('K', 'k')}"
