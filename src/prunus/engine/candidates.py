"""The edits that were proposed for each part, and the parts to decide about because of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from prunus.edits import PREFERENCES, Move, Postpone, Proposal, Withdraw
from prunus.engine.weighed import weighed
from prunus.history import Attachment, Ref
from prunus.strategies import AfterEdit, Strategy
from prunus.strategies.asked import Asked
from prunus.view import View

__all__ = ["REMINDERS", "Candidates"]

REMINDERS: Final = "reminders"
"""Who proposes reminders; comes after every strategy."""


class Candidates:
    """What is proposed for each part, by the rank of the strategy that proposed it."""

    def __init__(self, view: View, strategies: Sequence[Strategy]) -> None:
        self._view = view
        self._after_edit = tuple(s for s in strategies if isinstance(s, AfterEdit))
        self.rank = {strategy.name: PREFERENCES * i for i, strategy in enumerate(strategies, 1)}
        self.rank[REMINDERS] = PREFERENCES * (len(self.rank) + 1)
        self.options: dict[Ref, dict[int, Proposal]] = {}
        self.dirty: set[Ref] = set()
        """Parts about which something changed, so that they have to be decided anew."""
        self.kept: set[Ref] = set()
        """Parts that were restored, and are not cut again unless that is asked for."""
        self.marked: set[Ref] = set()
        """Parts that may go when the context runs short."""
        self.rests_on: dict[Ref, set[Ref]] = {}
        """Parts whose edits depend on what happens to another part."""
        self.views: dict[Ref, set[Ref]] = {}
        """Where views stand or could stand that show what is still true of a part."""
        self.pointed: set[Ref] = set()
        """Parts to which notes point that stood in the history already."""

    def take(self, move: Move) -> None:
        """Carry out a move: a proposal becomes a candidate for its part, is put off or taken back."""
        match move:
            case Proposal():
                self._propose(move)
            case Postpone():
                self._postpone(move)
            case Withdraw():
                self._withdraw(move)

    def _withdraw(self, move: Withdraw) -> None:
        self.options.setdefault(move.target, {}).pop(self.rank[move.strategy], None)
        self.dirty.add(move.target)
        if move.points_to is not None:
            self.pointed.add(move.points_to)
            self.dirty.add(move.points_to)
        if move.restored:
            self.kept.add(move.target)

    def _propose(self, edit: Proposal) -> None:
        rank = self.rank[edit.strategy] - edit.preference
        options = self.options.setdefault(edit.target, {})
        self.dirty.add(edit.target)
        if edit.when.requested_by:
            self.kept.discard(edit.target)
        held = options.get(rank)
        part = self._view.part(edit.target)
        if edit.when.under_pressure:
            self.marked.add(edit.target)
        options[rank] = weighed(edit, part, self._view)
        if held is not None and held.points_to is not None:
            self.dirty.add(held.points_to)
        if edit.points_to is not None:
            self.rest(edit.target, edit.points_to)
        for ref in edit.covers:
            self.views.setdefault(ref, set()).add(edit.target)
        if isinstance(part, Attachment) and part.inside is not None:
            self.rest(edit.target, Ref(edit.target.message, part.inside))
        for strategy in self._after_edit:
            for more in strategy.follow(edit, self._view):
                self._propose(self._named(more))

    def _named(self, edit: Proposal) -> Proposal:
        """An edit that follows another, under the name of the strategy that is preferred for its call.

        What was asked for comes last here: where a strategy has a note, that stands in place of the result.
        """
        held = self.options.get(edit.target, {}).get(self.rank[edit.strategy] - edit.preference)
        if held is None or not held.follows or not edit.follows:
            return edit
        names = (held.follows, edit.follows)
        return replace(edit, follows=min(names, key=lambda name: (name == Asked.name, self.rank[name])))

    def _postpone(self, move: Postpone) -> None:
        """A candidate whose time has not come yet comes later."""
        options = self.options.get(move.target, {})
        rank = self.rank[move.strategy] - move.preference
        held = options.get(rank)
        if held is None or (held.when.from_turn <= self._view.turn and held.when.from_loop <= self._view.loop):
            return
        when = replace(held.when, from_turn=move.from_turn)
        options[rank] = replace(held, when=when, reuse=move.reuse or held.reuse)
        self.dirty.add(move.target)

    def take_back(self, target: Ref, strategy: str) -> None:
        """What a strategy proposed for a part is a candidate no longer."""
        self.options[target].pop(self.rank[strategy], None)
        self.dirty.add(target)

    def rest(self, target: Ref, other: Ref) -> None:
        """What becomes of a part depends on what becomes of another."""
        self.rests_on.setdefault(other, set()).add(target)

    def comes_before(self, edit: Proposal, other: Proposal) -> bool:
        """Whether an edit is preferred to another one for the same part."""
        return self.rank[edit.strategy] - edit.preference < self.rank[other.strategy] - other.preference

    def pointers(self, target: Ref) -> Iterator[Ref]:
        """The parts to which an answer could point as it was proposed, instead of showing again what they show."""
        options = self.options.get(target, {}).values()
        return (edit.points_to for edit in options if edit.when.before_first_send and edit.points_to is not None)
