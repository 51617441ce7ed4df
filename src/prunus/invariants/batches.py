from __future__ import annotations

from prunus.history import Call, Message
from prunus.invariants.change import Change

__all__ = ["batches"]


def batches(change: Change) -> str | None:
    """Calls that were made together stay together, each with its tool."""
    if _tools(change.before) != _tools(change.after):
        return "a batch of parallel calls was broken"
    return None


def _tools(message: Message | None) -> list[str]:
    return [part.tool for part in message.parts if isinstance(part, Call)] if message else []
