"""Parts that have to be decided again at a later turn, loop or call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from prunus.history import Ref
from prunus.view.view import View


class Wait(NamedTuple):
    """What a decision waits for: at most one of turn, loop and calls."""

    turn: int | None = None
    loop: int | None = None
    uses: int | None = None
    """A number of answered calls."""


class Timers:
    """Which parts wait for which turn, loop or call."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._waiting: tuple[dict[int, set[Ref]], ...] = ({}, {}, {})
        self._woken = Wait(0, 0, 0)

    def start(self, ref: Ref, wait: Wait) -> None:
        """Record what a part waits for."""
        for waiting, at in zip(self._waiting, wait, strict=True):
            if at is not None:
                waiting.setdefault(at, set()).add(ref)

    def due(self) -> Iterator[Ref]:
        """Return the parts whose waiting time has ended since the last call."""
        now = Wait(self._view.turn, self._view.loop, len(self._view.uses))
        for waiting, last, current in zip(self._waiting, self._woken, now, strict=True):
            for at in range((last or 0) + 1, (current or 0) + 1):
                yield from waiting.pop(at, ())
        self._woken = now
