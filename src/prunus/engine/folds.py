"""Folds: a view that shows what is still true of several parts, and the parts that go because of it.

A fold is made as a whole. A part of it may only go while its view is shown, so what counts for the schedule is
where the first of them stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from prunus.edits import Proposal
from prunus.history import Ref

__all__ = ["Folds", "needs_view"]


class Folds:
    """Which view stands for which parts, and where each fold that is not in force yet begins."""

    def __init__(self, chosen: Mapping[Ref, Proposal], dirty: set[Ref]) -> None:
        self._chosen = chosen
        self._dirty = dirty
        self._views: dict[Ref, set[Ref]] = {}
        """Parts that may go because views were found that show what is still true of them, and where those are."""
        self.pending: set[Ref] = set()
        """Pending edits of folds, each of which is made as a whole."""
        self._heads: dict[Ref, int] | None = None
        """The first message of each fold with pending edits, by the part that its view stands behind."""
        self._queue: list[tuple[int, int]] = []

    def spare(self, target: Ref, before: frozenset[Ref], after: frozenset[Ref]) -> None:
        """Another view stands behind a part, or none: what it stands for may go, or has to come back."""
        self._heads = None
        for ref in before ^ after:
            views = self._views.setdefault(ref, set())
            if not views:
                self._dirty.add(ref)
            views ^= {target}
            if not views:
                self._dirty.add(ref)
                del self._views[ref]

    def view_of(self, ref: Ref) -> Ref | None:
        """Where the newest view stands that was found for a part; None where there is none, and it has to stay."""
        return max(self._views.get(ref, ()), default=None)

    def follow(self, target: Ref, pending: bool, found: Proposal | None, chosen: Proposal | None) -> None:
        """Something else was found for a part, or is in force there."""
        if pending and any(edit is not None and (edit.needs_cover or edit.covers) for edit in (found, chosen)):
            self.pending.add(target)
        else:
            self.pending.discard(target)
        self._heads = None

    def recount(self) -> None:
        """What is pending beside the folds is not what it was."""
        self._heads = None

    def place(self, ref: Ref) -> int:
        """The message from which on a cut has to be for a pending edit to be made."""
        if ref not in self.pending:
            return ref.message
        if self._heads is None:
            self._heads, self._queue = {}, []
            for one in self.pending:
                holder = self.view_of(one) or one
                self._heads[holder] = min(one.message, self._heads.get(holder, one.message))
        return self._heads[self.view_of(ref) or ref]

    def moved(self, gains: Mapping[int, tuple[int, int]], pending: Mapping[Ref, int]) -> list[tuple[int, int]]:
        """The messages with pending edits and what goes in each, with every fold at its first message."""
        if self._heads is not None and self._queue:
            return self._queue
        moved = dict(gains)
        for ref in self.pending:
            gain = pending[ref]
            for message, sign in ((ref.message, -1), (self.place(ref), 1)):
                tokens, parts = moved.get(message, (0, 0))
                moved[message] = tokens + sign * gain, parts + sign
        self._queue = sorted((message, tokens) for message, (tokens, parts) in moved.items() if parts)
        return self._queue

    def allows(self, target: Ref, edit: Proposal | None, old: Proposal | None) -> bool:
        """Whether everything that has gone, this part included, would still be shown by a view in force."""
        if edit is not None and edit.needs_cover and not self._viewed(target):
            return False
        return old is None or all(self._viewed(ref) or not self._folded(ref) for ref in old.covers)

    def _folded(self, ref: Ref) -> bool:
        """Whether a part has gone because a view shows what is still true of it."""
        edit = self._chosen.get(ref)
        return edit is not None and edit.needs_cover

    def _viewed(self, ref: Ref) -> bool:
        """Whether the view that was found for a part is in force."""
        at = self.view_of(ref)
        view = self._chosen.get(at) if at is not None else None
        return view is not None and ref in view.covers


def needs_view(edit: Proposal | None, old: Proposal | None) -> bool:
    """Whether putting one edit in the place of another hides what a view has to show, or takes a view away."""
    return (edit is not None and edit.needs_cover) or (old is not None and bool(old.covers))
