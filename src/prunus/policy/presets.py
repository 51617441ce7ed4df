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
    # The rules of the ACP plugin as its documents describe them.
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
        "old_attachments": {},
        "old_code_blocks": {},
        "step_markers": {},
        "spent_inputs": {},
    },
    # Smart tool history: first, last and sampled reads, shortened shell output; every edit stays.
    "smart": {
        "asked": {},
        "middle_reads": {},
        "long_outputs": {"kinds": ("shell",)},
        "old_results": {},
    },
    "off": {},
}

OTHER_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    # As the seeds have it: at once, and with the agent's own tool.
    "acp": {"schedule": "eager", "agent": {"offer": "hidden", "guidance": True}},
    "smart": {"schedule": "eager"},
}
"""What a preset sets beside its strategies."""
