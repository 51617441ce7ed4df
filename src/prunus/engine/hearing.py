"""The strategies of one conversation, told of each event in order."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from prunus.edits import Move
from prunus.files import Timeline
from prunus.history import Ref, Role, Thinking
from prunus.strategies import OnFile, OnPiece, OnUse, Strategy
from prunus.strategies.under_pressure import UnderPressure
from prunus.view import Piece, Use, View

__all__ = ["Hearing"]

_MOST: Final = 200
"""How many calls of a group a strategy looks back at, such as the uses of one file: the newest, and the first.

In recorded sessions a group has 106 at most. Without a bound, each use of a file that is used thousands of times
would cost as much as all before it.
"""
_FIRST: Final = 2
"""The oldest calls of a group, which a strategy is always shown: those are what later answers point to."""
_FILES: Final = 500
"""Files that are followed, those that were used last. Each command is asked of every one whether it changed it."""


class Hearing:
    """Who hears of what, with what came before it; the edits are what they propose."""

    def __init__(self, view: View, strategies: Sequence[Strategy]) -> None:
        self._view = view
        on_use = [s for s in strategies if isinstance(s, OnUse)]
        self._on_use = tuple(s for s in on_use if not isinstance(s, UnderPressure))
        self._on_pressure = tuple(s for s in strategies if isinstance(s, UnderPressure))
        self._on_piece = tuple(s for s in strategies if isinstance(s, OnPiece) and not isinstance(s, UnderPressure))
        self._on_file = tuple(s for s in strategies if isinstance(s, OnFile))
        self._timeline = Timeline(most=_FILES) if self._on_file else None
        self._past: dict[str, dict[str, object]] = {strategy.name: {} for strategy in self._on_file}
        self._groups: dict[tuple[str, Hashable], list[Use]] = {}
        self._heard_late = 0
        self._unheard: list[tuple[Ref, Role, int, int]] = []
        """Reasoning that `late` has not told of yet."""

    def piece(self, piece: Piece) -> Iterator[Move]:
        """What is proposed because of a part that belongs to no answered call."""
        if self._timeline is not None:
            self._timeline.take(piece, self._view)
        if self._on_pressure and isinstance(piece.part, Thinking):
            self._unheard.append((piece.ref, piece.role, piece.turn, piece.loop))
        for strategy in self._on_piece:
            yield from strategy.inspect(piece, self._view)

    def use(self, use: Use) -> Iterator[Move]:
        """What is proposed because of an answered call."""
        yield from self._tell(self._on_use, use)
        if self._timeline is not None:
            self._timeline.take(use, self._view)
            for strategy in self._on_file:
                yield from strategy.fold(use, self._timeline, self._past[strategy.name], self._view)

    def late(self) -> Iterator[Move]:
        """What could go if the context ran short; not asked before there is need."""
        for use in self._view.uses[self._heard_late :]:
            yield from self._tell(self._on_pressure, use)
        self._heard_late = len(self._view.uses)
        unheard, self._unheard = self._unheard, []
        for ref, role, turn, loop in unheard:
            part = self._view.part(ref)
            if isinstance(part, Thinking):
                for strategy in self._on_pressure:
                    yield from strategy.inspect(Piece(ref, part, role, turn, loop), self._view)

    def _tell(self, strategies: tuple[OnUse, ...], use: Use) -> Iterator[Move]:
        for strategy in strategies:
            for group in strategy.groups(use):
                members = self._groups.setdefault((strategy.name, group), [])
                whole = group is None or len(members) <= _MOST
                earlier = members if whole else [*members[:_FIRST], *members[_FIRST - _MOST :]]
                yield from strategy.propose(use, earlier, group, self._view)
                members.append(use)
