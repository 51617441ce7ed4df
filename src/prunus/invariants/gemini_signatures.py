from __future__ import annotations

from prunus.history import Call, Message, Part, Thinking
from prunus.invariants.change import Change

__all__ = ["gemini_signatures"]


def gemini_signatures(change: Change) -> str | None:
    """What carries a thought signature stays as it was signed."""
    if change.after is not None and _signed(change.before) != _signed(change.after):
        return "a signed part was changed"
    return None


def _signed(message: Message) -> list[Part]:
    return [part for part in message.parts if isinstance(part, Call | Thinking) and part.fixed]
