"""Translate the keys of a settings file, including ACP keys and shorthands, into the keys of Prunus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from pydantic import BaseModel

from prunus.settings.acp import (
    AGGRESSIVE,
    COMBINED,
    FIXED,
    IMPLIED,
    LEVELS,
    MOVED,
    PROTECTED,
    SUPERSEDED,
    TABLES,
    known_at,
)
from prunus.settings.layers import Layer, similar

NEVER: Final = 1_000_000
"""A number of turns that no conversation reaches."""

PROTECTED_TURNS: Final = 4
"""The turns that `turnProtection` protects when it is on and names no number."""


def translate(raw: Mapping[str, Any], origin: str) -> Layer:
    """Return the values of a file as a layer under the keys of Prunus."""
    layer = Layer(origin)
    combined: dict[str, Any] = {}
    _walk(raw, (), layer, combined)
    _protect_tools(combined, layer)
    _protect_turns(combined, layer)
    _choose_level(combined, layer)
    _separate_errors(combined, layer)
    _choose_subagents(combined, layer)
    return layer


def _walk(table: Mapping[Any, Any], place: tuple[str, ...], layer: Layer, combined: dict[str, Any]) -> None:
    parent = ".".join(place)
    for name, given in table.items():
        here = (*place, str(name))
        key = ".".join(here)
        value = _plain(given)
        if key == "$schema":
            continue
        if key in FIXED:
            allowed, why = FIXED[key]
            if not any(value == one and type(value) is type(one) for one in allowed):
                layer.complain(key, value, why)
        elif key in COMBINED:
            combined[key] = value
        elif key in MOVED:
            layer.put(MOVED[key], value, key)
            if value is True and key in IMPLIED and not layer.has(IMPLIED[key]):
                layer.put(IMPLIED[key], value, key)
        elif key in TABLES and (key != "tools" or isinstance(value, Mapping)):
            if isinstance(value, Mapping):
                _walk(value, here, layer, combined)
            else:
                layer.complain(key, value, "expected a table")
        elif parent in TABLES:
            layer.complain(key, value, similar(str(name), known_at(parent), {}))
        elif isinstance(value, Mapping):
            _walk(value, here, layer, combined)
            if not layer.has(here):
                layer.put(here, {}, key)
        else:
            layer.put(here, value, key)


def _plain(value: Any) -> Any:
    """Return sections and tool rows that were built in Python as plain data."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _protect_tools(combined: Mapping[str, Any], layer: Layer) -> None:
    """Set the protected tools from all their keys. Tools protected by an ACP key may still supersede other calls.

    The ACP plugin's default list contains write and edit. If these could supersede nothing, no read would ever go
    stale. A file that repeats or extends the default list means the same as the default: the agent may not discard
    these calls, but a later call may supersede todo lists, writes and edits.
    """
    victims: list[str] = []
    triggers: list[str] = []
    found = ""
    for key in ("protected_tools", "protectedTools", "tools.settings.protectedTools"):
        if key not in combined:
            continue
        found = found or key
        rows = combined[key]
        if not isinstance(rows, list):
            layer.complain(key, rows, "expected a list of names of tools")
            continue
        for i, row in enumerate(rows):
            match row:
                case str() if row:
                    victims.append(row)
                    if key == "protected_tools":
                        triggers.append(row)
                case {"name": str(name), **rest} if (
                    key == "protected_tools" and name and rest.keys() <= {"as"}
                    and rest.get("as", "both") in ("victim", "trigger", "both")
                ):  # fmt: skip
                    part = rest.get("as", "both")
                    victims += [name] * (part != "trigger")
                    triggers += [name] * (part != "victim")
                case _ if key == "protected_tools":
                    text = 'expected a name or {name = "...", as = "victim", "trigger" or "both"}'
                    layer.complain(f"{key}[{i}]", row, text)
                case _:
                    layer.complain(f"{key}[{i}]", row, "expected the name of a tool")
    if set(victims) >= PROTECTED and "protected_tools" not in combined:
        victims = [name for name in victims if name not in SUPERSEDED]
    if found:
        layer.put(("guards", "protected_tools", "victims"), list(dict.fromkeys(victims)), found)
    if "protected_tools" in combined:
        layer.put(("guards", "protected_tools", "triggers"), list(dict.fromkeys(triggers)), found)


def _protect_turns(combined: Mapping[str, Any], layer: Layer) -> None:
    enabled = _switch("turnProtection.enabled", combined, layer)
    turns = combined.get("turnProtection.turns", PROTECTED_TURNS if enabled else None)
    if enabled is False:
        layer.put(("guards", "recent_turns", "turns"), 0, "turnProtection.enabled")
    elif turns is not None:
        layer.put(("guards", "recent_turns", "turns"), turns, "turnProtection.turns")


def _choose_level(combined: dict[str, Any], layer: Layer) -> None:
    """Set the switches that the file does not name, as `aggressivePruning.preset` says."""
    key = "strategies.aggressivePruning.preset"
    if key not in combined:
        return
    level = combined[key]
    if not isinstance(level, str) or level not in LEVELS:
        layer.complain(key, level, f"expected one of {', '.join(LEVELS)}")
        return
    combined.setdefault(_CUT, "truncateOldErrors" in LEVELS[level])
    for switch, name in AGGRESSIVE.items():
        place = ("strategies", name, "enabled")
        if name != "old_errors" and not layer.has(place):
            layer.put(place, switch in LEVELS[level], key)


_CUT: Final = "strategies.aggressivePruning.truncateOldErrors"
_PURGE: Final = "strategies.purgeErrors.enabled"


def _separate_errors(combined: Mapping[str, Any], layer: Layer) -> None:
    """Set `old_errors`, which replaces two strategies of ACP: one cuts the text of errors, the other their input.

    If a file wants only one of the two, the other one waits for a turn that never comes.
    """
    cut, purge = _switch(_CUT, combined, layer), _switch(_PURGE, combined, layer)
    errors = ("strategies", "old_errors")
    if cut or purge:
        layer.put((*errors, "enabled"), True, _CUT if cut else _PURGE)
    elif cut is False:
        layer.put((*errors, "enabled"), False, _CUT)
    if cut is False and purge:
        layer.put((*errors, "turns"), NEVER, _CUT)
    if purge is False:
        layer.put((*errors, "inputs"), NEVER, _PURGE)
    elif "strategies.purgeErrors.turns" in combined:
        turns = combined["strategies.purgeErrors.turns"]
        layer.put((*errors, "inputs"), turns, "strategies.purgeErrors.turns")


def _choose_subagents(combined: Mapping[str, Any], layer: Layer) -> None:
    allowed = _switch(_SUBAGENTS, combined, layer)
    if allowed is not None:
        layer.put(("subagents",), "prune" if allowed else "skip", _SUBAGENTS)


_SUBAGENTS: Final = "experimental.allowSubAgents"


def _switch(key: str, combined: Mapping[str, Any], layer: Layer) -> bool | None:
    """Return the value of a switch, or None if the file does not set it."""
    value = combined.get(key)
    if key in combined and not isinstance(value, bool):
        layer.complain(key, value, "expected true or false")
        return None
    return value
