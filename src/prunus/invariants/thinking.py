from __future__ import annotations

from prunus.history import Thinking
from prunus.invariants.change import Change

__all__ = ["thinking"]


def thinking(change: Change) -> str | None:
    """A signed block leaves whole or stays as it is; required and open reasoning stays."""
    before = [part for part in change.before.parts if isinstance(part, Thinking)]
    after = [] if change.after is None else [part for part in change.after.parts if isinstance(part, Thinking)]
    if before == after:
        return None
    if change.open_loop:
        return "reasoning of the open tool loop was changed"
    if any(part.required for part in before):
        kept = [part for part in after if part.required]
        if len(kept) != sum(part.required for part in before) or not all(part.text for part in kept):
            return "reasoning that the provider requires is missing or empty"
        return None
    if any(part not in before for part in after):
        return "a reasoning block was altered"
    return None
