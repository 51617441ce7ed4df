"""Where the settings in force come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from prunus.settings.files import from_options, read
from prunus.settings.layers import Layer, merge
from prunus.settings.model import Loaded
from prunus.settings.presets import OTHER_SETTINGS, strategies_of


def origins(loaded: Loaded, options: Sequence[str] = ()) -> dict[str, str]:
    """Return for each setting that is not built in where it comes from: a preset, a file, or an option.

    `options` are the overrides `key=value` that the settings were loaded with.
    """
    base = loaded.settings.base
    chosen = strategies_of(base, loaded.settings.level)
    strategies = {name: {"enabled": True, **fields} for name, fields in chosen.items()}
    below = Layer("", values=merge(OTHER_SETTINGS.get(base, {}), {"strategies": strategies}))
    layers: list[tuple[str, Layer | None]] = [
        (f"preset {base}", below),
        *((str(source), read(source)) for source in loaded.sources),
        ("option", from_options(options)),
    ]
    return {
        ".".join(key): name
        for key, _ in flat(loaded.settings.dump())
        if (name := next((name for name, layer in reversed(layers) if layer is not None and layer.has(key)), ""))
    }


def flat(table: Mapping[str, Any], start: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each setting with its place."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flat(value, (*start, key))
        else:
            yield (*start, key), value


def mapped(table: Mapping[str, Any], change: Callable[[str, Any], Any], start: str = "") -> dict[str, Any]:
    """Return a table of settings with each value changed by a function of its key and itself."""
    return {
        key: mapped(value, change, f"{start}{key}.") if isinstance(value, Mapping) else change(start + key, value)
        for key, value in table.items()
    }


def as_toml(value: Any) -> str:
    """Return a value as it is written in a settings file."""
    match value:
        case Mapping():
            return "{" + ", ".join(f"{key} = {as_toml(inner)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(as_toml, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
