"""Presets: which strategies run, and with which fields.

A strategy that a preset does not name is off; a field that it does not name has the strategy's own default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

__all__ = ["OTHER_SETTINGS", "PRESETS", "Preset"]

Preset = Literal["auto", "acp", "smart", "off"]

_NOT_READS: Final = ("list", "search", "fetch", "shell", "snapshot", "other")
"""Results that may be cut before they are sent: not reads, and not reports of sub-agents, which cost most."""

_PROTECTED: Final = (
    "task", "Task", "agent", "Agent", "delegate", "delegate_to_agent", "spawn_agent", "batch", "plan_enter",
    "plan_exit", "EnterPlanMode", "ExitPlanMode", "enter_plan_mode", "exit_plan_mode", "*context_info",
    "*context_prune",
)  # fmt: skip
"""The seeds' protected tools, by the names that clients give them.

Todo lists, writes and edits are protected from the agent (`strategies.asked.protected`), not from being superseded
by a later one of their kind: the seeds' own examples supersede them.
"""

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    # What is superseded, done with or unlikely to be needed, when it pays: the best that the lab has shown.
    "auto": {
        "asked": {},
        "duplicate_calls": {"point_back": True},
        "shown_lines": {},
        "stale_reads": {},
        "repeated_views": {},
        "repeated_fetches": {},
        "repeated_queries": {},
        "old_todos": {},
        "old_snapshots": {},
        "retried_errors": {},
        "old_errors": {},
        "old_attachments": {"turns": 10},
        "step_markers": {},
        "spent_inputs": {},
        "folded_views": {"gone": 0},
        "finished_results": {},
        "past_tasks": {"risk": 0.0107, "edits": False},
        "long_outputs": {
            "kinds": _NOT_READS,
            "over": 4_000,
            "head": 500,
            "tail": 500,
            "middle": 0.15,
            "at_once": True,
        },
        "old_thinking": {"turns": 1},
        "finished_inputs": {"edits": False},
        "old_edits": {},
        "under_pressure": {},
    },
    # The rules of the ACP plugin as its documents describe them. Where they give no number, it is the one that the
    # plugin had: outputs of 2,000 tokens from two turns on, reasoning of 500 tokens from three turns on.
    "acp": {
        "asked": {"errors": False},
        "duplicate_calls": {},
        "stale_reads": {"after_edits": True},
        "repeated_views": {"any_operation": True},
        "repeated_fetches": {},
        "repeated_queries": {},
        "old_todos": {},
        "old_snapshots": {},
        "retried_errors": {},
        "old_errors": {},
        "long_outputs": {
            "kinds": ("read", "list", "search", "shell"),
            "over": 8_000,
            "searches": 8_000,
            "turns": 2,
        },
        "old_thinking": {"turns": 2, "over": 2_000},
        "old_attachments": {},
        "old_code_blocks": {},
        "step_markers": {"newest": True},
        "spent_inputs": {},
        "under_pressure": {"thinking": True},
    },
    # Smart tool history: first, last and sampled reads, shortened shell output; edits stay for 50 turns.
    "smart": {
        "asked": {},
        "middle_reads": {},
        "long_outputs": {"kinds": ("shell",)},
        "old_results": {},
        "old_edits": {"turns": 50},
    },
    "off": {},
}

OTHER_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    # As the seeds have it: at once, and with the agent's own tool.
    "acp": {
        "schedule": "eager",
        "words": "seeds",
        "subagents": "skip",
        "agent": {"offer": "hidden", "guidance": True},
        "guards": {"protected_tools": {"victims": _PROTECTED}, "same_turn": {"early": True}},
        "reminders": {"todo": True, "max_context": 100_000, "reflection": True},
        "pressure": {"historical": 80_000, "aggressive": 100_000, "thinking": 20_000},
    },
    "smart": {"schedule": "eager", "words": "seeds", "budget": {"share": 0.7}},
}
"""What a preset sets beside its strategies."""
