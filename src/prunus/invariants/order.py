from __future__ import annotations

from prunus.history import Message, Result
from prunus.invariants.change import Change

__all__ = ["order"]


def order(change: Change) -> str | None:
    """Results stand in the order they came in, and before other words in their message."""
    if change.after is not None and _order(change.before) != _order(change.after):
        return "the order of results has changed"
    return None


def _order(message: Message) -> list[str]:
    return [part.id for part in message.parts if isinstance(part, Result)]
