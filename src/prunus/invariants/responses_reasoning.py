from __future__ import annotations

from prunus.history import Call, Thinking
from prunus.invariants.change import Change

__all__ = ["responses_reasoning"]


def responses_reasoning(change: Change) -> str | None:
    """A reasoning item stays with the call right behind it, or with what its id binds."""
    if change.after is not None or change.format != "openai_responses":
        return None
    if any(isinstance(part, Thinking) and part.fixed for part in change.before.parts):
        return "reasoning with an id was left out"
    if change.following and any(isinstance(part, Call) for part in change.following.parts):
        return "the reasoning of a call was left out"
    return None
