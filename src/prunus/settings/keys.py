"""Every key with its default and its words, for schemas, templates and help."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Final

from prunus.schedule.budget import Budget
from prunus.schedule.pressure import Pressure
from prunus.settings.docs import about, field_docs
from prunus.settings.model import Limits, Manual, Settings, Tokens, Values
from prunus.settings.sections import GUARDS, SCHEDULES, STRATEGIES
from prunus.settings.seeds import SHORTHANDS
from prunus.settings.service import Agent, Proxy, Reminders, Store, Upstreams

ENABLED: Final = "Whether this strategy runs."

SHORTHAND_DOCS: Final[Mapping[str, str]] = {
    "protected_tools": (
        "Tools that are left alone and replace no others: names, or tables with `name` and `as`, which is victim "
        "(never cut), trigger (replaces no others) or both."
    ),
    "protected_paths": "Short for guards.protected_paths.patterns; the list replaces the built-in one.",
    "turn_protection": "Short for guards.recent_turns.turns.",
}

TABLES: Final[Mapping[str, type]] = {
    "tokens": Tokens,
    "limits": Limits,
    "manual": Manual,
    "pressure": Pressure,
    "budget": Budget,
    "agent": Agent,
    "reminders": Reminders,
    "proxy": Proxy,
    "upstreams": Upstreams,
    "store": Store,
}
"""The tables whose keys are declared in `model.py` and `service.py`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """One setting."""

    name: str
    """In full: `strategies.old_errors.turns`."""
    default: Any
    doc: str
    group: str = ""
    """What the table that it stands in is about."""


def keys() -> Iterator[Key]:
    """All settings, in the order of the documentation."""
    plain = Settings().dump()
    docs = field_docs(Values)
    yield Key("preset", plain["preset"], docs.get("base", ""))
    for name in (
        "enabled",
        "notification",
        "show_distillation",
        "words",
        "schedule",
        "compaction",
        "subagents",
        "window",
    ):
        yield Key(name, plain[name], docs.get(name, ""))
    for name, place in SHORTHANDS.items():
        default: Any = plain
        for step in place:
            default = default[step]
        yield Key(name, default, SHORTHAND_DOCS[name])
    for name in ("tools", "prices"):
        yield Key(name, plain[name], docs.get(name, ""))
    for kind, owners in (("strategies", STRATEGIES), ("guards", GUARDS), ("schedules", SCHEDULES), ("", TABLES)):
        for name, owner in owners.items():
            table = f"{kind}.{name}" if kind else name
            words = {"enabled": ENABLED, **field_docs(owner)}
            values = plain[kind][name] if kind else plain[name]
            for field, default in values.items():
                yield Key(f"{table}.{field}", default, words.get(field, ""), about(owner))
