"""What providers demand of the result; one file each, all asked for every changed message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from prunus.errors import InvariantError
from prunus.invariants.batches import batches
from prunus.invariants.change import Change
from prunus.invariants.gemini_signatures import gemini_signatures
from prunus.invariants.non_empty import non_empty
from prunus.invariants.order import order
from prunus.invariants.pairs import pairs
from prunus.invariants.responses_reasoning import responses_reasoning
from prunus.invariants.roles import roles
from prunus.invariants.thinking import thinking

__all__ = ["ALL", "Change", "check"]

ALL: Final[tuple[Callable[[Change], str | None], ...]] = (
    pairs,
    batches,
    order,
    roles,
    non_empty,
    thinking,
    gemini_signatures,
    responses_reasoning,
)


def check(change: Change) -> None:
    """Raise where a change would make the request one that its provider refuses."""
    for invariant in ALL:
        problem = invariant(change)
        if problem is not None:
            raise InvariantError(f"{invariant.__name__}: {problem}")
