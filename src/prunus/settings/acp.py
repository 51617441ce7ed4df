"""Alternative names of settings: the keys of the ACP plugin (acp.jsonc), and the shorthands of Prunus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from prunus.settings.layers import Place

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

SHORTHANDS: Final[Mapping[str, Place]] = {
    "protected_tools": ("guards", "protected_tools", "victims"),
    "protected_paths": ("guards", "protected_paths", "patterns"),
    "turn_protection": ("guards", "recent_turns", "turns"),
}
"""The shorthands of Prunus, with the place of the setting that each one means."""

_AGENT: Final[Mapping[str, Place]] = {
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

MOVED: Final[Mapping[str, Place]] = {
    "protected_paths": SHORTHANDS["protected_paths"],
    "turn_protection": SHORTHANDS["turn_protection"],
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
    "strategies.supersedeReads.enabled": ("strategies", "stale_reads", "enabled"),
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

IMPLIED: Final[Mapping[str, Place]] = {
    "strategies.supersedeReads.enabled": ("strategies", "stale_reads", "after_edits"),
    "strategies.aggressivePruning.aggressiveFilePrune": ("strategies", "repeated_views", "any_operation"),
}
"""A second setting that becomes true when one of these keys is true."""

COMBINED: Final = frozenset(
    {
        "protected_tools",
        "protectedTools",
        "tools.settings.protectedTools",
        "turnProtection.enabled",
        "turnProtection.turns",
        "strategies.aggressivePruning.preset",
        "strategies.aggressivePruning.truncateOldErrors",
        "strategies.purgeErrors.enabled",
        "strategies.purgeErrors.turns",
        "experimental.allowSubAgents",
    }
)
"""Keys whose meaning depends on other keys; `translate.py` reads them together."""

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
