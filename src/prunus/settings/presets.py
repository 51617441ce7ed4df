"""Presets: the strategies that run, and their fields.

A preset turns off every strategy that it does not name. A field that it does not name has the strategy's default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

Preset = Literal["auto", "acp", "smart", "off"]
Dial = Literal["safe", "balanced", "lean"]

_NOT_READS: Final = ("list", "search", "fetch", "shell", "snapshot", "other")
"""The kinds of results that `auto` may cut before their first send; reads and sub-agent reports would cost most."""

_PROTECTED: Final = (
    "task", "Task", "agent", "Agent", "delegate", "delegate_to_agent", "spawn_agent", "batch", "plan_enter",
    "plan_exit", "EnterPlanMode", "ExitPlanMode", "enter_plan_mode", "exit_plan_mode", "*context_info",
    "*context_prune",
)  # fmt: skip
"""The protected tools of the ACP plugin, by the names that clients give them.

`strategies.asked.protected` keeps the agent from discarding todo lists, writes and edits. They are missing here
because a later call may supersede them: the examples of the plugin's documents do so.
"""

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    # Prunes superseded, finished and unlikely-to-be-needed content when it pays: the best preset in the lab.
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
        "past_tasks": {},
        "long_outputs": {
            "kinds": _NOT_READS,
            "over": 4_000,
            "head": 500,
            "tail": 500,
            "middle": 0.15,
            "at_once": True,
        },
        "old_thinking": {"turns": 1},
        "finished_inputs": {},
        "old_edits": {},
        "under_pressure": {},
    },
    # The rules of the ACP plugin as its documents describe them. Where the documents give no number, this preset
    # uses the plugin's: outputs of 2,000 tokens after two turns, reasoning of 500 tokens after three turns.
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
    # Smart tool history: keeps first, last and sampled reads, shortens shell output, keeps edits for 50 turns.
    "smart": {
        "asked": {},
        "middle_reads": {},
        "long_outputs": {"kinds": ("shell",)},
        "old_results": {},
        "old_edits": {"turns": 50},
    },
    "off": {},
}

LEVELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "safe": {
        "past_tasks": {"risk": 0.007, "edits": False},
        "finished_inputs": {"edits": False},
        "long_outputs": {"markup": False},
    },
    "balanced": {
        "past_tasks": {"risk": 0.02},
    },
    "lean": {
        "past_tasks": {"risk": 0.05},
        "finished_results": {"search": 4, "idle": 4},
        "finished_inputs": {"idle": 20},
        "unlikely_reads": {"risk": 0.05},
    },
}
"""How much reusable content each level of `auto` cuts; chosen by `bench/frontier.py`."""

ALLOWED_LOSS: Final[Mapping[str, float]] = {"safe": 1.5, "balanced": 4.0, "lean": 10.0}
"""The lost events of 1,000 requests up to which each level may go; see `lab/cost.py`."""


def strategies_of(preset: str, level: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the strategies that run in a preset at a level, with the fields that the two set."""
    chosen = PRESETS.get(preset, {})
    more = LEVELS.get(level, {}) if preset == "auto" else {}
    return {name: {**chosen.get(name, {}), **more.get(name, {})} for name in (*chosen, *more)}


OTHER_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    # Like the ACP plugin: edits at once, and the agent gets a tool of its own.
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
"""The settings of a preset besides its strategies."""
