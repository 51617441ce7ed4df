"""One layer of settings: what one file says, in our own keys, with the problems found in it.

Layers are laid on top of each other. A problem is one line: where it stands, what it says, what is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from prunus.errors import SettingsError

MISSING: Any = object()
"""In place of a value where there is none to show."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of a SettingsError."""

    origin: str
    """The file; empty for settings that were built in Python."""
    key: str
    value: Any
    text: str

    def __str__(self) -> str:
        shown = self.key if self.value is MISSING else f"{self.key} = {_show(self.value)}"
        return ": ".join(piece for piece in (self.origin, shown, self.text) if piece)


def fail(problems: Iterable[Problem]) -> None:
    """Raise all problems at once, if there are any."""
    lines = list(dict.fromkeys(map(str, problems)))
    if lines:
        raise SettingsError("\n".join(lines))


def dotted(path: Iterable[str | int]) -> str:
    """A path as one would write it: `tools[0].name`."""
    key = ""
    for step in path:
        key += f"[{step}]" if isinstance(step, int) else f".{step}" if key else step
    return key.replace("\n", "\\n")


def similar(key: str, names: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    """What to say of an unknown key, given the names that fit its place and the full keys of other places."""
    close = get_close_matches(key, list(names), n=1)
    found = close[0] if close else elsewhere.get(key)
    return f"unknown key; did you mean {found}?" if found else "unknown key"


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if len(text) <= 60 else f"{text[:57]}..."
    return text.encode("utf-8", "backslashreplace").decode()


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
