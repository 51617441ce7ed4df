"""Presets: which strategies run, and with which fields.

A strategy that a preset does not name is off; a field that it does not name has the strategy's own default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

__all__ = ["PRESETS", "SCHEDULES", "Preset"]

Preset = Literal["auto", "lean", "acp", "smart", "off"]

_SUPERSEDED: Final[Mapping[str, Mapping[str, Any]]] = {
    "duplicate_calls": {},
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
}
_NOT_READS: Final = ("list", "search", "fetch", "shell", "task", "snapshot", "other")

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    # What is superseded, failed or very long; what the model may still need stays.
    "auto": {**_SUPERSEDED, "long_outputs": {"kinds": _NOT_READS}},
    # Also what is done with and unlikely to be needed, when it pays: the best that the lab has shown so far.
    "lean": {
        **_SUPERSEDED,
        "finished_results": {},
        "long_outputs": {"kinds": _NOT_READS, "at_once": True},
        "old_thinking": {"turns": 1},
        "finished_inputs": {},
    },
    # The rules of the ACP plugin as its documents describe them.
    "acp": {
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
        "middle_reads": {},
        "long_outputs": {"kinds": ("shell",)},
        "old_results": {},
    },
    "off": {},
}

SCHEDULES: Final[Mapping[str, str]] = {"lean": "cache"}
"""Presets that choose when edits are made; the others leave it to the setting."""
