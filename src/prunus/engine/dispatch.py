"""Shows each event of a conversation to the strategies, in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from prunus.edits import Move
from prunus.files.timeline import Timeline
from prunus.history import Ref, Role, Thinking
from prunus.strategies.strategy import OnFile, OnlyUnderPressure, OnPiece, OnUse, Strategy, of_kind
from prunus.view.uses import Piece, Use
from prunus.view.view import View

_MOST: Final = 200
"""How many calls of a group a strategy looks back at, such as the uses of one file: the newest, and the first.

In recorded sessions a group has 106 at most. Without a bound, each use of a file that is used thousands of times
would cost as much as all before it.
"""
_FIRST: Final = 2
"""The oldest calls of a group that a strategy always sees, because later answers point to them."""
_FILES: Final = 500
"""How many recently used files are followed. Each command is checked for changes of every such file."""


class _Grouped:
    """One strategy, and the calls that it has seen, by group."""

    __slots__ = ("_groups", "_strategy")

    def __init__(self, strategy: OnUse) -> None:
        self._strategy = strategy
        self._groups: dict[Hashable, list[Use]] = {}

    def tell(self, use: Use, view: View, moves: list[Move]) -> None:
        """Add the moves that follow from a call."""
        for group in self._strategy.groups(use):
            members = self._groups.get(group)
            if members is None:
                moves += self._strategy.propose(use, (), group, view)
                # Most groups never get a second member, so the list has no room for one yet.
                self._groups[group] = [use]
                continue
            whole = group is None or len(members) <= _MOST
            earlier = members if whole else [*members[:_FIRST], *members[_FIRST - _MOST :]]
            moves += self._strategy.propose(use, earlier, group, view)
            members.append(use)


class Dispatch:
    """Shows each strategy the events that it handles, and returns its moves."""

    def __init__(self, view: View, strategies: Sequence[Strategy]) -> None:
        self._view = view
        self._on_pressure = of_kind(strategies, OnlyUnderPressure)
        late = {strategy.name for strategy in self._on_pressure}
        usual = [strategy for strategy in strategies if strategy.name not in late]
        self._on_use = tuple(map(_Grouped, of_kind(usual, OnUse)))
        self._on_piece = of_kind(usual, OnPiece)
        self._late_uses = tuple(map(_Grouped, self._on_pressure))
        self._on_file = tuple((s, s.State()) for s in of_kind(strategies, OnFile))
        self._timeline = Timeline(most=_FILES) if self._on_file else None
        self._seen_late = 0
        """The number of calls that the strategies for pressure have seen."""
        self._late: list[tuple[Ref, Role, int, int]] = []
        """Reasoning that the strategies for pressure have not seen yet."""

    def piece(self, piece: Piece) -> list[Move]:
        """Return the moves that follow from a part that belongs to no answered call."""
        if self._timeline is not None:
            self._timeline.take(piece, self._view)
        if self._on_pressure and isinstance(piece.part, Thinking):
            self._late.append((piece.ref, piece.role, piece.turn, piece.loop))
        return [move for strategy in self._on_piece for move in strategy.inspect(piece, self._view)]

    def use(self, use: Use) -> list[Move]:
        """Return the moves that follow from an answered call."""
        moves: list[Move] = []
        for strategy in self._on_use:
            strategy.tell(use, self._view, moves)
        if self._timeline is not None:
            self._timeline.take(use, self._view)
            for folding, state in self._on_file:
                moves += folding.fold(use, self._timeline, state, self._view)
        return moves

    @property
    def timeline(self) -> Timeline | None:
        """The files of the conversation; None if no strategy follows files."""
        return self._timeline

    def late(self) -> list[Move]:
        """Return the moves of the strategies that act only when the context runs short."""
        moves: list[Move] = []
        for use in self._view.uses[self._seen_late :]:
            for grouped in self._late_uses:
                grouped.tell(use, self._view, moves)
        self._seen_late = len(self._view.uses)
        late, self._late = self._late, []
        for ref, role, turn, loop in late:
            part = self._view.part(ref)
            if isinstance(part, Thinking):
                for strategy in self._on_pressure:
                    moves += strategy.inspect(Piece(ref, part, role, turn, loop), self._view)
        return moves
