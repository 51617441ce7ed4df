from __future__ import annotations

from prunus.history import Call, Thinking
from prunus.invariants.change import Change
from prunus.providers import provider_named

__all__ = ["responses_reasoning"]


def responses_reasoning(change: Change) -> str | None:
    """A reasoning item stays with the call right behind it, or with what its id binds."""
    if change.after is not None or not provider_named(change.format).binds_reasoning:
        return None
    if any(isinstance(part, Thinking) and part.fixed for part in change.before.parts):
        return "reasoning with an id was left out"
    if change.following and any(isinstance(part, Call) for part in change.following.parts):
        return "the reasoning of a call was left out"
    return None
