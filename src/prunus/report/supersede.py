"""Which strategies the ACP plugin calls auto-supersede, and the word under which each is reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Supersede: TypeAlias = Literal["hash", "file", "todo", "url", "query", "snapshot", "retry"]

SUPERSEDE_ICONS: Final[Mapping[str, str]] = {
    "hash": "🔄",
    "file": "📁",
    "todo": "✅",
    "url": "🔗",
    "query": "📊",
    "snapshot": "📸",
    "retry": "🔁",
}
"""The types of the ACP plugin, with their icons."""

SUPERSEDED_BY: Final[Mapping[str, Supersede]] = {
    "duplicate_calls": "hash",
    "shown_lines": "file",
    "stale_reads": "file",
    "repeated_views": "file",
    "folded_views": "file",
    "old_todos": "todo",
    "repeated_fetches": "url",
    "repeated_queries": "query",
    "old_snapshots": "snapshot",
    "retried_errors": "retry",
}
"""The type of each strategy by which a newer call supersedes an older one."""
