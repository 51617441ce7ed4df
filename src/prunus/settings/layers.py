"""A layer of settings: the values of one file under the keys of Prunus, and the problems in that file.

Upper layers override lower ones. A problem is one line: the file and key, the value, and the allowed values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from prunus.errors import SettingsError

MISSING: Any = object()
"""Stands for a missing value in a problem."""

_SECRET: Final = re.compile(r"(?:proxy\.token|store\.key)(?:\[\d+\])?")


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of a SettingsError."""

    origin: str
    """The file; empty for settings that were built in Python."""
    key: str
    value: Any
    text: str

    def __str__(self) -> str:
        shown = [self.key] if self.key else []
        if self.value is not MISSING:
            shown.append(_show(without_secrets(self.key, self.value)))
        return ": ".join(piece for piece in (self.origin, " = ".join(shown), self.text) if piece)


def without_secrets(key: str, value: Any) -> Any:
    """Return a value that may be shown on a screen: no token, no key, no user or password of an address."""
    if _SECRET.fullmatch(key):
        return "(set)" if value else ""
    if isinstance(value, list | tuple):
        return [without_secrets(key, one) for one in value]
    if isinstance(value, str) and "://" in value and ("@" in value or "password" in value):
        name, equals, address = value.partition("=") if "=" in value.partition("://")[0] else ("", "", value)
        try:
            parts = urlsplit(address)
            host = parts.netloc.rpartition("@")[2]
        except ValueError:
            return "(not shown)"
        # A password with # or ? ends the host here, but not for every driver. `/@NAME` is an upstream of a proxy.
        behind_host = parts._replace(scheme="", netloc="").geturl()
        if re.search("[^/]@" if parts.scheme.startswith("http") else "@", behind_host):
            return "(not shown)"
        query = "" if "password" in parts.query else parts.query
        return f"{name}{equals}{parts._replace(netloc=host, query=query).geturl()}"
    return value


def fail(problems: Iterable[Problem]) -> None:
    """Raise one SettingsError with all problems, if there are any."""
    lines = list(dict.fromkeys(map(str, problems)))
    if lines:
        raise SettingsError("\n".join(lines))


def dotted(path: Iterable[str | int]) -> str:
    """Return a path as users write it: `tools[0].name`."""
    key = ""
    for step in path:
        key += f"[{step}]" if isinstance(step, int) else f".{step}" if key else step
    return key.replace("\n", "\\n")


def similar(key: str, names: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    """Return the error text for an unknown key, with a suggestion if possible.

    `names` are the keys that exist at this place; `elsewhere` maps key names to full keys at other places.
    """
    close = get_close_matches(key, list(names), n=1)
    found = close[0] if close else elsewhere.get(key)
    return f"unknown key; did you mean {found}?" if found else "unknown key"


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if len(text) <= 60 else f"{text[:57]}..."
    return text.encode("utf-8", "backslashreplace").decode()


SettingPlace = tuple[str | int, ...]
"""The place of a setting: `("strategies", "old_errors", "turns")`."""


@dataclass(slots=True)
class Layer:
    """The explicit values of one file, and the problems with them."""

    origin: str
    """The file; empty for settings that were built in Python."""
    path: Path | None = None
    values: dict[str, Any] = field(default_factory=dict)
    spelled: dict[SettingPlace, str] = field(default_factory=dict)
    """The key in the file for each setting that the file gives by another name."""
    problems: list[Problem] = field(default_factory=list)

    def complain(self, key: str, value: Any, text: str) -> None:
        """Add a problem of this file."""
        self.problems.append(Problem(self.origin, key, value, text))

    def has(self, place: SettingPlace) -> bool:
        """Return whether the file sets this value, by any name."""
        table: Any = self.values
        for step in place:
            if not isinstance(table, dict) or step not in table:
                return False
            table = table[step]
        return True

    def put(self, place: SettingPlace, value: Any, spelled: str) -> None:
        """Set a value. A file may set a value by two names, but setting two different values is a problem."""
        table: Any = self.values
        for step in place[:-1]:
            table = table.setdefault(step, {})
            if not isinstance(table, dict):
                return
        other = table.get(place[-1], MISSING)
        if other is not MISSING and other != value:
            also = self.spelled.get(place, dotted(place))
            self.complain(spelled, value, f"{also} sets another value")
            return
        table[place[-1]] = value
        if spelled != dotted(place):
            self.spelled.setdefault(place, spelled)

    def name(self, place: SettingPlace) -> str:
        """Return the name that the file uses for a setting."""
        for end in range(len(place), 0, -1):
            known = self.spelled.get(place[:end])
            if known is not None:
                return dotted((known, *place[end:]))
        return dotted(place)


def merge(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Return both merged; the upper one overrides the lower. Tables are merged, lists are replaced."""
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            value = merge(below, value)
        merged[key] = value
    return merged
