"""Pairs the messages of a pruned body with the original messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from prunus.edits import Gone
from prunus.outcome import Outcome

T = TypeVar("T")


def aligned(pruned: Sequence[T], count: int, outcome: Outcome[Any]) -> list[T | None]:
    """Return the pruned message for each of the `count` original ones; None for a message that was left out.

    Prunus leaves out only messages that were meant for Prunus itself, such as a command of the user.
    """
    if len(pruned) == count:
        return list(pruned)
    gone = {edit.target.message for edit in outcome.edits if isinstance(edit.replacement, Gone)}
    left = iter(pruned)
    beside = [None if index in gone else next(left) for index in range(count)]
    if next(left, None) is not None:
        raise ValueError("the pruned history has other messages than the given one")
    return beside
