"""What is wrong with a setting, in one line: where it stands, what it says, what is allowed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
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
