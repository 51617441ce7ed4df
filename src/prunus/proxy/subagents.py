"""Which requests come from a sub-agent, by what clients are known to send with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SUBAGENT: Final = "a sub-agent's request"
"""Why such a request is left alone, where the settings say so."""

_HEADERS: Final = ("x-claude-code-agent-id", "x-parent-session-id", "x-codex-parent-thread-id")
"""Headers that only sub-agents have: Claude Code, OpenCode, Codex."""
_KIND: Final = "x-openai-subagent"
"""How Codex names the kind of a sub-agent."""
_INTERNAL: Final = frozenset({"", "compact", "memory_consolidation"})
"""Kinds that are work of the client itself on the history of the main agent."""
_MARK: Final = b"cc_is_subagent=true"
"""What Claude Code writes at the top of the system text of a sub-agent."""
_TOP: Final = 4096
"""Bytes of the system text in which that stands."""


def from_subagent(headers: Mapping[str, str], system: bytes) -> bool:
    """Whether a sub-agent sent a request with these headers, in lower case, and this system text as JSON."""
    kind = headers.get(_KIND)
    if kind is not None:
        return kind not in _INTERNAL
    return any(headers.get(name) for name in _HEADERS) or _MARK in system[:_TOP]
