"""Pointers: which answer could point to which earlier part, and whether that part is there to be pointed to."""

from __future__ import annotations

from collections.abc import Mapping

from prunus.edits import Proposal
from prunus.engine.candidates import Candidates
from prunus.engine.folds import Folds
from prunus.history import Ref
from prunus.view import View

__all__ = ["Pointers"]


class Pointers:
    """What the answers of a conversation could point to instead of showing it again, and what of that has gone."""

    def __init__(self, view: View, candidates: Candidates, found: Mapping[Ref, Proposal], folds: Folds) -> None:
        self._view = view
        self._candidates = candidates
        self._found = found
        self._folds = folds
        self._leaving: set[Ref] = set()
        """Parts that go whatever is folded."""

    def leave(self, target: Ref, leaves: bool) -> None:
        """Remember whether a part goes whatever is folded; that is what pointers to it look at."""
        if leaves != (target in self._leaving):
            self._leaving.symmetric_difference_update({target})
            self._candidates.dirty.update(self._candidates.rests_on.get(target, ()))

    def points_back(self, call: Ref, target: Ref) -> bool:
        """Whether the answer of a call could point to a part instead of showing it again."""
        use = self._view.by_ref.get(call)
        if use is None:
            return False
        return target in self._candidates.pointers(use.result)

    def hides(self, edit: Proposal) -> str | None:
        """Why an edit would let a pointer show nothing, its own or another; None if it would not."""
        if edit.points_to is not None and (
            self._gone(edit.points_to, edit.target)
            if edit.when.before_first_send
            else edit.points_to in self._found
        ):
            return "what it would point to is not shown in full any more"
        if edit.target in self._candidates.pointed and not edit.when.requested_by:
            return "a note in the history points to it"
        if (edit.needs_cover or edit.covers) and self._pointed(edit.target):
            return "a newer answer points to it"
        return None

    def _gone(self, shown: Ref, pointer: Ref) -> bool:
        """Whether a part is not there to be pointed to; a fold waits for a pointer that it does not take along."""
        return shown in self._leaving or (shown in self._found and self._follows(pointer))

    def _follows(self, pointer: Ref) -> bool:
        """Whether a part could go because a view shows its lines, instead of pointing to another."""
        options = self._candidates.options.get(pointer, {}).values()
        return self._folds.view_of(pointer) is not None and any(edit.needs_cover for edit in options)

    def _pointed(self, target: Ref) -> bool:
        """Whether an answer points to a part and has to go on doing so."""
        pointers = ((ref, self._found.get(ref)) for ref in self._candidates.rests_on.get(target, ()))
        return any(
            edit is not None and edit.when.before_first_send and edit.points_to == target and not self._follows(ref)
            for ref, edit in pointers
        )
