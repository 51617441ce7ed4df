"""Change one value in a settings file of another program; everything else in the file stays as it is.

Three formats: JSON with comments (`.json`, `.jsonc`), TOML (`.toml`) and lines of `NAME=value` (`.env`). A value is
found by its key, a path of names. All functions raise ValueError if the text is not what its name says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from prunus.config_edit import env_text, json_text, toml_text

KeyPath = tuple[str, ...]


class Format(Protocol):
    """A format of settings files, as a module of this package."""

    def parse(self, text: str) -> Mapping[str, Any]: ...
    def with_value(self, text: str, key: KeyPath, value: str | list[str]) -> str: ...
    def without_value(self, text: str, key: KeyPath) -> str: ...


def format_of(path: Path) -> Format:
    """Return the format of a settings file, by its name."""
    if path.suffix == ".toml":
        return toml_text
    return env_text if path.name == ".env" else json_text


def value_at(table: Mapping[str, Any], key: KeyPath) -> Any:
    """Return the value at a key, or None."""
    value: Any = table
    for name in key:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def strings(table: Mapping[str, Any], above: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Yield every string value with its key; lists are not searched."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from strings(value, (*above, name))
        elif isinstance(value, str):
            yield (*above, name), value
