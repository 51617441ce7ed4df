"""What one file says, in keys of our own, and how files are laid on top of each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prunus.settings.problems import MISSING, Problem, dotted

Place = tuple[str | int, ...]
"""Where a setting stands: `("strategies", "old_errors", "turns")`."""


@dataclass(slots=True)
class Layer:
    """The explicit values of one file, and what there is to say about them."""

    origin: str
    """The file; empty for settings that were built in Python."""
    path: Path | None = None
    values: dict[str, Any] = field(default_factory=dict)
    spelled: dict[Place, str] = field(default_factory=dict)
    """How the file writes a setting that it gives by another name."""
    problems: list[Problem] = field(default_factory=list)

    def complain(self, key: str, value: Any, text: str) -> None:
        """Note a problem of this file."""
        self.problems.append(Problem(self.origin, key, value, text))

    def has(self, place: Place) -> bool:
        """Whether the file has set this by any name."""
        table: Any = self.values
        for step in place:
            if not isinstance(table, dict) or step not in table:
                return False
            table = table[step]
        return True

    def put(self, place: Place, value: Any, spelled: str) -> None:
        """Set a value; a file may say a thing twice, but not two things."""
        table: Any = self.values
        for step in place[:-1]:
            table = table.setdefault(step, {})
            if not isinstance(table, dict):
                return
        other = table.get(place[-1], MISSING)
        if other is not MISSING and other != value:
            also = self.spelled.get(place, dotted(place))
            self.complain(spelled, value, f"{also} says something else")
            return
        table[place[-1]] = value
        if spelled != dotted(place):
            self.spelled.setdefault(place, spelled)

    def name(self, place: Place) -> str:
        """A setting by the name that the file gives it."""
        for end in range(len(place), 0, -1):
            known = self.spelled.get(place[:end])
            if known is not None:
                return dotted((known, *place[end:]))
        return dotted(place)


def merge(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Both, the upper one winning: tables are merged, lists are replaced."""
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = merge(below, value)
        merged[key] = value
    return merged
