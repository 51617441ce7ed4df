from __future__ import annotations

from prunus.history import Text, Thinking
from prunus.invariants.change import Change

__all__ = ["non_empty"]


def non_empty(change: Change) -> str | None:
    """No message is left without content, and no text without words."""
    if change.after is None:
        return None
    if change.before.parts and not any(not isinstance(part, Thinking) for part in change.after.parts):
        return "a message was left empty"
    for part in change.after.parts:
        if isinstance(part, Text) and not part.text and part not in change.before.parts:
            return "a text was left empty"
    return None
