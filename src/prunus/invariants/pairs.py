from __future__ import annotations

from prunus.history import Call, Message, Result
from prunus.invariants.change import Change

__all__ = ["pairs"]


def pairs(change: Change) -> str | None:
    """Every call keeps its one result: no call and no result comes or goes."""
    if _ids(change.before) != _ids(change.after):
        return "a call or a result has lost its partner"
    return None


def _ids(message: Message | None) -> list[tuple[str, str]]:
    if message is None:
        return []
    found = [(type(part).__name__, part.id) for part in message.parts if isinstance(part, Call | Result)]
    return sorted(found)
