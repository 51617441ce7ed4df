from __future__ import annotations

from prunus.history import Thinking
from prunus.invariants.change import Change

__all__ = ["roles"]


def roles(change: Change) -> str | None:
    """A message keeps its role; only reasoning and words to Prunus itself go whole."""
    if change.after is None:
        parts = change.before.parts
        joined = change.before.joins and all(isinstance(part, Thinking) for part in parts)
        return None if joined or change.own else "a message other than reasoning was left out"
    return None if change.after.role == change.before.role else "a message has changed its role"
