"""Parts that are to be asked about again at a turn, a loop or a call to come."""

from __future__ import annotations

from collections.abc import Iterator

from prunus.guards import Hold
from prunus.history import Ref
from prunus.view import View

__all__ = ["Waits"]


class Waits:
    """What each part waits for, as far as that is a matter of time."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._at_turn: dict[int, set[Ref]] = {}
        self._at_loop: dict[int, set[Ref]] = {}
        self._at_use: dict[int, set[Ref]] = {}
        self._woken = (0, 0, 0)

    def for_turn(self, turn: int, target: Ref) -> None:
        """A part is asked about again in this turn."""
        self._at_turn.setdefault(turn, set()).add(target)

    def for_loop(self, loop: int, target: Ref) -> None:
        """A part is asked about again when the user has spoken so often."""
        self._at_loop.setdefault(loop, set()).add(target)

    def for_end(self, held: Hold, target: Ref) -> None:
        """A part is asked about again when a guard lets it go, if that is known."""
        if held.turn is not None:
            self.for_turn(held.turn, target)
        elif held.loop is not None:
            self.for_loop(held.loop, target)
        elif held.uses is not None:
            self._at_use.setdefault(held.uses, set()).add(target)

    def due(self) -> Iterator[set[Ref]]:
        """Whatever waited for a time that has come since this was asked last."""
        now = self._view.turn, self._view.loop, len(self._view.uses)
        waiting = self._at_turn, self._at_loop, self._at_use
        for parts, last, current in zip(waiting, self._woken, now, strict=True):
            for at in range(last + 1, current + 1):
                if at in parts:
                    yield parts.pop(at)
        self._woken = now
