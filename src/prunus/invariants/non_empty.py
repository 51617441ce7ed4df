from __future__ import annotations

from prunus.history import Text, Thinking
from prunus.invariants.change import Change

__all__ = ["non_empty"]


def non_empty(change: Change) -> str | None:
    """No message is left without content, and no text without words."""
    if change.after is None:
        return None
    said = [part for part in change.before.parts if not isinstance(part, Thinking)]
    left = [part for part in change.after.parts if not isinstance(part, Thinking)]
    if (said and not left) or (change.before.parts and not change.after.parts):
        return "a message was left empty"
    for part in change.after.parts:
        if isinstance(part, Text) and not part.text and part not in change.before.parts:
            return "a text was left empty"
    return None
