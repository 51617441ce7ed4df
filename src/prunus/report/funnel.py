"""The pruning funnel of the seeds: from the raw context to the active one, and what took the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from prunus.context import Context
from prunus.report.numbers import percent, short
from prunus.strategies.asked import Asked
from prunus.strategies.supersede import SUPERSEDED_BY
from prunus.tally import Tally

__all__ = ["Funnel", "funnel_box", "funnel_of", "funnel_of_all", "funnel_record"]

_WIDTH: Final = 60
_LABEL: Final = 22


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
    manual = strategies.get(Asked.name, Tally()).tokens
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
    rows = [
        ("Raw context", "", funnel.raw),
        ("Auto-Supersede", "-", funnel.auto_supersede),
        ("Manual pruning", "-", funnel.manual),
        ("Auto-prune", "-", funnel.auto_prune),
        *([("Ids and reminders", "+", funnel.added)] if funnel.added > 0 else []),
        ("Active context", "", funnel.active),
    ]
    lines = [f"Pruning Funnel{title}:", "─" * _WIDTH]
    for label, sign, tokens in rows:
        count = f"{sign if tokens else ''}{short(tokens).replace('K', 'k')}"
        lines.append(f"  {label:<{_LABEL}}{count:>8}{percent(tokens, funnel.raw):>7}")
    return "\n".join(lines)


def funnel_record(funnel: Funnel) -> dict[str, Any]:
    """The funnel as plain data: tokens, and their share of the raw context."""
    rows = {
        "raw": funnel.raw,
        "autoSupersede": funnel.auto_supersede,
        "manual": funnel.manual,
        "autoPrune": funnel.auto_prune,
        "active": funnel.active,
    }
    return {
        name: {"tokens": tokens, "share": round(tokens / funnel.raw, 4) if funnel.raw else 0.0}
        for name, tokens in rows.items()
    }
