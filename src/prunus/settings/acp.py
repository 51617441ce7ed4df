"""Read settings under their other names: the keys of the ACP plugin (acp.jsonc), and the shorthands of Prunus.

The tables say which setting each key means. `translate` turns the values of a file into a layer under the keys of
Prunus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from pydantic import BaseModel

from prunus.settings.layers import Layer, SettingPlace, similar

AGGRESSIVE: Final[Mapping[str, str]] = {
    "pruneToolInputs": "spent_inputs",
    "pruneStepMarkers": "step_markers",
    "pruneSourceUrls": "repeated_fetches",
    "pruneFiles": "old_attachments",
    "pruneSnapshots": "old_snapshots",
    "pruneRetryParts": "retried_errors",
    "pruneUserCodeBlocks": "old_code_blocks",
    "truncateOldErrors": "old_errors",
    "aggressiveFilePrune": "repeated_views",
    "stateQuerySupersede": "repeated_queries",
}
"""The switches below `strategies.aggressivePruning`, with the strategy that each one turns on."""

LEVELS: Final[Mapping[str, frozenset[str]]] = {
    "compact": frozenset(AGGRESSIVE),
    "balanced": frozenset(AGGRESSIVE) - {"pruneUserCodeBlocks", "truncateOldErrors"},
    "verbose": frozenset(),
}
"""The switches that each value of `strategies.aggressivePruning.preset` turns on."""

PROTECTED: Final = frozenset(
    {
        "context_info", "task", "todowrite", "todoread", "context_prune",
        "batch", "write", "edit", "plan_enter", "plan_exit",
    }
)  # fmt: skip
"""The tools that the ACP plugin protects by default."""
SUPERSEDED: Final = frozenset({"todowrite", "todoread", "write", "edit"})
"""Protected tools whose calls a later call of the same kind supersedes nevertheless."""
_TOOL_LISTS: Final = ("protected_tools", "protectedTools", "tools.settings.protectedTools")
_PARTS: Final[tuple[dict[str, str], ...]] = ({}, {"as": "victim"}, {"as": "trigger"}, {"as": "both"})
"""What a table of `protected_tools` may hold besides the name."""

SHORTHANDS: Final[Mapping[str, SettingPlace]] = {
    "protected_tools": ("guards", "protected_tools", "victims"),
    "protected_paths": ("guards", "protected_paths", "patterns"),
    "turn_protection": ("guards", "recent_turns", "turns"),
}
"""The shorthands of Prunus, with the place of the setting that each one means."""

_AGENT: Final[Mapping[str, SettingPlace]] = {
    "todoReminder.enabled": ("reminders", "todo"),
    "todoReminder.initialTurns": ("reminders", "todo_after"),
    "todoReminder.repeatTurns": ("reminders", "todo_every"),
    "todoReminder.stuckTaskTurns": ("reminders", "stuck_after"),
    "todoReminder.maxContextTokens": ("reminders", "max_context"),
    "automataMode.enabled": ("reminders", "reflection"),
    "automataMode.initialTurns": ("reminders", "reflection_after"),
    "discard.enabled": ("strategies", "asked", "discard"),
    "distill.enabled": ("strategies", "asked", "distill"),
    "distill.showDistillation": ("show_distillation",),
    "enableAssistantMessagePruning": ("strategies", "asked", "messages"),
    "enableReasoningPruning": ("strategies", "asked", "thinking"),
    "enableVisibleAssistantHashes": ("agent", "own_ids"),
}
"""Keys about the agent. A file may give them at the top level, in `tools` or in `tools.settings`."""
_PLACES: Final = ("", "tools.", "tools.settings.")
_READS: Final = "strategies.supersedeReads.enabled"

MOVED: Final[Mapping[str, SettingPlace]] = {
    **{name: place for name, place in SHORTHANDS.items() if name != "protected_tools"},
    "protectedFilePatterns": SHORTHANDS["protected_paths"],
    "pruneNotification": ("notification",),
    "manualMode.enabled": ("manual", "enabled"),
    "manualMode.automaticStrategies": ("manual", "automatic_strategies"),
    "debug": ("proxy", "verbose"),
    "strategies.deduplication.protectedTools": ("strategies", "duplicate_calls", "protected"),
    "strategies.purgeErrors.protectedTools": ("strategies", "old_errors", "protected"),
    "strategies.supersedeWrites.enabled": ("strategies", "old_writes", "enabled"),
    "commands.protectedTools": ("strategies", "asked", "unswept"),
    "strategies.deduplication.enabled": ("strategies", "duplicate_calls", "enabled"),
    _READS: ("strategies", "stale_reads", "enabled"),
    "strategies.truncateLargeOutputs.enabled": ("strategies", "long_outputs", "enabled"),
    "strategies.compressThinkingBlocks.enabled": ("strategies", "old_thinking", "enabled"),
    **{
        f"strategies.aggressivePruning.{key}": ("strategies", name, "enabled")
        for key, name in AGGRESSIVE.items()
        if key != "truncateOldErrors"
    },
    "commands.enabled": ("agent", "commands"),
    **{f"{place}{key}": target for place in _PLACES for key, target in _AGENT.items()},
}
"""Keys whose value becomes the value of one setting."""

IMPLIED: Final[Mapping[str, SettingPlace]] = {
    _READS: ("strategies", "stale_reads", "after_edits"),
    "strategies.aggressivePruning.aggressiveFilePrune": ("strategies", "repeated_views", "any_operation"),
}
"""A second setting that becomes true when one of these keys is true."""

_LEVEL: Final = "strategies.aggressivePruning.preset"
_CUT: Final = "strategies.aggressivePruning.truncateOldErrors"
_PURGE: Final = "strategies.purgeErrors.enabled"
_PURGE_TURNS: Final = "strategies.purgeErrors.turns"
_SUBAGENTS: Final = "experimental.allowSubAgents"
COMBINED: Final = frozenset(
    {*_TOOL_LISTS, "turnProtection.enabled", "turnProtection.turns", _LEVEL, _CUT, _PURGE, _PURGE_TURNS, _SUBAGENTS}
)
"""Keys whose meaning depends on other keys; `translate` reads them together."""

FIXED: Final[Mapping[str, tuple[tuple[Any, ...], str]]] = {
    "autoUpdate": ((False,), "Prunus does not update itself; the package manager that installed it does"),
    "pruneNotificationType": (("chat",), "toasts are drawn by OpenCode's window, which Prunus does not run in"),
    "compress": (
        ({}, {"permission": "deny"}),
        "Prunus has no compress tool; the agent's tool is context_prune (agent.offer, strategies.asked)",
    ),
    "experimental.customPrompts": ((False,), "the texts of Prunus cannot be replaced by files"),
}
"""Keys that can only confirm how Prunus works: their allowed values, and the reason to refuse any other."""

_KEYS: Final = frozenset({*MOVED, *COMBINED, *FIXED})

TABLES: Final = frozenset(
    key.rsplit(".", levels)[0] for key in _KEYS for levels in range(1, key.count(".") + 1)
) - {"strategies"}
"""Tables that hold only ACP keys."""


def known_at(table: str) -> Iterator[str]:
    """Yield the ACP keys and tables directly inside a table; the empty name means the top level."""
    start = f"{table}." if table else ""
    for key in sorted(_KEYS | TABLES):
        if key.startswith(start) and "." not in key[len(start) :]:
            yield key[len(start) :]


NEVER: Final = 1_000_000
"""A number of turns that no conversation reaches."""

PROTECTED_TURNS: Final = 4
"""The turns that `turnProtection` protects when it is on and names no number."""


def translate(raw: Mapping[str, Any], origin: str) -> Layer:
    """Return the values of a file as a layer under the keys of Prunus."""
    layer = Layer(origin)
    combined: dict[str, Any] = {}
    _walk({name: value for name, value in raw.items() if name != "$schema"}, (), layer, combined)
    _protect_tools(combined, layer)
    _protect_turns(combined, layer)
    _choose_level(combined, layer)
    _separate_errors(combined, layer)
    _keep_reads(layer)
    if (allowed := _switch(_SUBAGENTS, combined, layer)) is not None:
        layer.put(("subagents",), "prune" if allowed else "skip", _SUBAGENTS)
    return layer


def _walk(table: Mapping[Any, Any], place: tuple[str, ...], layer: Layer, combined: dict[str, Any]) -> None:
    parent = ".".join(place)
    for name, given in table.items():
        here = (*place, str(name))
        key = ".".join(here)
        value = _plain(given)
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
    given = [key for key in _TOOL_LISTS if key in combined]
    for key in given:
        if not isinstance(combined[key], list):
            layer.complain(key, combined[key], "expected a list of names of tools")
            continue
        own = key == "protected_tools"
        for i, row in enumerate(combined[key]):
            match row:
                case str(name) if name:
                    part = "both" if own else "victim"
                case {"name": str(name), **rest} if own and name and rest in _PARTS:
                    part = str(rest.get("as", "both"))
                case _:
                    table = 'a name or {name = "...", as = "victim", "trigger" or "both"}'
                    layer.complain(f"{key}[{i}]", row, f"expected {table if own else 'the name of a tool'}")
                    continue
            victims += [name] * (part != "trigger")
            triggers += [name] * (part != "victim")
    if "protected_tools" in given:
        layer.put(("guards", "protected_tools", "triggers"), list(dict.fromkeys(triggers)), given[0])
    elif set(victims) >= PROTECTED:
        victims = [name for name in victims if name not in SUPERSEDED]
    if given:
        layer.put(SHORTHANDS["protected_tools"], list(dict.fromkeys(victims)), given[0])


def _protect_turns(combined: Mapping[str, Any], layer: Layer) -> None:
    enabled = _switch("turnProtection.enabled", combined, layer)
    turns = combined.get("turnProtection.turns", PROTECTED_TURNS if enabled else None)
    if enabled is False:
        layer.put(SHORTHANDS["turn_protection"], 0, "turnProtection.enabled")
    elif turns is not None:
        layer.put(SHORTHANDS["turn_protection"], turns, "turnProtection.turns")


def _choose_level(combined: dict[str, Any], layer: Layer) -> None:
    """Set the switches that the file does not name, as `aggressivePruning.preset` says."""
    if _LEVEL not in combined:
        return
    level = combined[_LEVEL]
    if not isinstance(level, str) or level not in LEVELS:
        layer.complain(_LEVEL, level, f"expected one of {', '.join(LEVELS)}")
        return
    combined.setdefault(_CUT, "truncateOldErrors" in LEVELS[level])
    for switch, name in AGGRESSIVE.items():
        place = ("strategies", name, "enabled")
        if name != "old_errors" and not layer.has(place):
            layer.put(place, switch in LEVELS[level], _LEVEL)


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
    elif _PURGE_TURNS in combined:
        layer.put((*errors, "inputs"), combined[_PURGE_TURNS], _PURGE_TURNS)


def _keep_reads(layer: Layer) -> None:
    """Let `aggressiveFilePrune` supersede no reads either, if the file turns off `supersedeReads` alone."""
    off = layer.spelled.get(MOVED[_READS]) == _READS and not layer.values["strategies"]["stale_reads"]["enabled"]
    views = ("strategies", "repeated_views")
    if off and not any(layer.has((*views, field)) for field in ("enabled", "any_operation")):
        layer.put((*views, "any_operation"), False, _READS)


def _switch(key: str, combined: Mapping[str, Any], layer: Layer) -> bool | None:
    """Return the value of a switch, or None if the file does not set it."""
    value = combined.get(key)
    if key in combined and not isinstance(value, bool):
        layer.complain(key, value, "expected true or false")
        return None
    return value
