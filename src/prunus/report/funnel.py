"""Two boxes of ACP: the pruning funnel, and which strategy saved how much.

The ACP plugin calls some strategies auto-supersede, and reports each under the type of call that it supersedes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Final, Literal, TypeAlias

from rich.cells import cell_len

from prunus.conversations.context import Context
from prunus.strategies.asked import Requested
from prunus.tally import Tally
from prunus.text.numbers import percent, short

Supersede: TypeAlias = Literal["hash", "file", "todo", "url", "query", "snapshot", "retry"]
SUPERSEDE_ICONS: Final[Mapping[str, str]] = {
    "hash": "🔄",
    "file": "📁",
    "todo": "✅",
    "url": "🔗",
    "query": "📊",
    "snapshot": "📸",
    "retry": "🔁",
}
"""The types of the ACP plugin, with their icons."""
SUPERSEDED_BY: Final[Mapping[str, Supersede]] = {
    "duplicate_calls": "hash",
    "shown_lines": "file",
    "stale_reads": "file",
    "repeated_views": "file",
    "folded_views": "file",
    "old_writes": "file",
    "old_todos": "todo",
    "repeated_fetches": "url",
    "repeated_queries": "query",
    "old_snapshots": "snapshot",
    "retried_errors": "retry",
}
"""The type of each strategy by which a newer call supersedes an older one."""
_WIDTH: Final = 60
_LABEL: Final = 22
_FAMILY: Final = "Auto-Supersede"
_COLUMN: Final = 26
"""Where the counts end."""
_NAMES: Final = 44
"""Where the names of the family begin."""
_END: Final = 80
"""Where they end."""


@dataclass(frozen=True, slots=True)
class Funnel:
    """The tokens of a request on their way; what each step takes out, and what is left."""

    raw: int = 0
    auto_supersede: int = 0
    manual: int = 0
    auto_prune: int = 0
    active: int = 0

    @property
    def added(self) -> int:
        """The tokens of ids and reminders that were put in."""
        return self.active - (self.raw - self.auto_supersede - self.manual - self.auto_prune)


def funnel_of(raw: int, active: int, strategies: Mapping[str, Tally]) -> Funnel:
    """The funnel of one request, by what each strategy took out of it."""
    superseded = sum(tally.tokens for name, tally in strategies.items() if name in SUPERSEDED_BY)
    manual = strategies.get(Requested.name, Tally()).tokens
    whole = sum(tally.tokens for tally in strategies.values())
    return Funnel(raw, superseded, manual, whole - superseded - manual, active)


def funnel_of_all(contexts: Iterable[Context]) -> Funnel | None:
    """The funnel of the newest requests of some conversations; None where nothing is known of any."""
    found = [funnel_of(context.before, context.after, context.strategies) for context in contexts]
    if not found:
        return None
    return Funnel(*(sum(getattr(one, name) for one in found) for name in Funnel.__slots__))


def funnel_box(funnel: Funnel, title: str) -> str:
    """A row for each step, with its share of the raw context."""
    names = ("Raw context", "Auto-Supersede", "Manual pruning", "Auto-prune", "Ids and reminders", "Active context")
    lines = [f"Pruning Funnel{title}:", "─" * _WIDTH]
    for label, count, tokens in funnel_steps(funnel, names):
        lines.append(f"  {label:<{_LABEL}}{count.replace('K', 'k'):>8}{percent(tokens, funnel.raw):>7}")
    return "\n".join(lines)


def funnel_steps(funnel: Funnel, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Yield the name, the signed count and the tokens of each step.

    A step adds tokens if its replacements are longer than the parts that it takes out.
    """
    raw, *changes, active = names
    yield raw, short(funnel.raw), funnel.raw
    added = max(0, funnel.added)
    taken = (funnel.auto_supersede, funnel.manual, funnel.auto_prune, -added)
    for name, tokens in zip(changes, taken, strict=True):
        if tokens or name != changes[-1]:
            sign = "-" if tokens > 0 else "+" if tokens else ""
            yield name, f"{sign}{short(abs(tokens))}", abs(tokens)
    yield active, short(funnel.active), funnel.active


def funnel_record(funnel: Funnel) -> dict[str, Any]:
    """The funnel as plain data: tokens, and their share of the raw context."""
    names = ("raw", "autoSupersede", "manual", "autoPrune", "active")
    return {
        name: {"tokens": tokens, "share": round(tokens / funnel.raw, 4) if funnel.raw else 0.0}
        for name, tokens in zip(names, astuple(funnel), strict=True)
    }


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
    """The tally of each type of Auto-Supersede, also of those that found nothing."""
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
