"""Which candidate each part gets: the first that is ripe and that nothing holds back."""

from __future__ import annotations

from collections.abc import Sequence

from prunus.edits import Edit, Note, Refusal
from prunus.engine.candidates import Candidates
from prunus.engine.folds import Folds
from prunus.engine.marks import Marks
from prunus.engine.pending import Pending
from prunus.engine.waits import Waits
from prunus.engine.weighed import weighed
from prunus.guards import Guard
from prunus.history import Attachment, Ref
from prunus.view import View

__all__ = ["Decisions"]


class Decisions:
    """One edit per part, and what was refused."""

    def __init__(
        self,
        view: View,
        guards: Sequence[Guard],
        candidates: Candidates,
        pending: Pending,
        folds: Folds,
        marks: Marks,
    ) -> None:
        self._view = view
        self._guards = tuple(guards)
        self._candidates = candidates
        self._pending = pending
        self._found = pending.found
        self._folds = folds
        self._marks = marks
        self._waits = Waits(view)
        self.refused: dict[Ref, tuple[Refusal, ...]] = {}

    def wake(self) -> None:
        """Ask again what was waiting for this turn, this loop or this call."""
        for parts in self._waits.due():
            self._candidates.dirty.update(parts)

    def settle(self) -> None:
        """Decide about every part about which something changed, and what follows from that."""
        dirty = self._candidates.dirty
        while dirty:
            self._decide(dirty.pop())

    def allows(self, edit: Edit) -> bool:
        """Whether every guard would let an edit through now."""
        return not self._held(weighed(edit, self._view.part(edit.target), self._view))

    def _decide(self, target: Ref) -> None:
        refusals: list[Refusal] = []
        choice: Edit | None = None
        wanted = False
        kept = target in self._candidates.kept
        options = self._candidates.options.get(target, {})
        for rank in () if kept else sorted(options):
            edit = options[rank]
            if edit.pressure and not self._marks.yields(edit):
                continue
            if edit.ripe > self._view.turn:
                self._waits.for_turn(edit.ripe, target)
                continue
            if edit.loop > self._view.loop:
                self._waits.for_loop(edit.loop, target)
                continue
            refusal = self._refusal(edit)
            if refusal is not None:
                refusals.append(refusal)
            elif choice is None and edit.asked and edit.spends:
                # The note of a strategy, if there is one, says more than that it was discarded.
                choice, wanted = edit, True
            elif choice is None or isinstance(edit.replacement, Note):
                choice = edit
                break
        if refusals:
            self.refused[target] = tuple(refusals)
        else:
            self.refused.pop(target, None)
        if wanted:
            self._pending.wanted.add(target)
        else:
            self._pending.wanted.discard(target)
        if choice != self._found.get(target):
            self._choose(target, choice)
        elif wanted or kept:
            self._pending.compare(target)

    def _choose(self, target: Ref, choice: Edit | None) -> None:
        old = self._found.pop(target, None)
        if choice is not None:
            self._found[target] = choice
        self._folds.spare(target, old.spares if old else frozenset(), choice.spares if choice else frozenset())
        self._pending.compare(target)
        self._candidates.dirty.update(self._candidates.rests_on.get(target, ()))

    def _refusal(self, edit: Edit) -> Refusal | None:
        if edit.asked and edit.fresh:
            return None
        if edit.shows is not None and edit.shows in self._found:
            return Refusal(edit, "visible_pointers", "what it would point to is not shown in full any more")
        if edit.by is not None and self._candidates.points_back(edit.by, edit.target):
            return Refusal(edit, "visible_pointers", "what would replace it only points back to it")
        if edit.bound and edit.target not in self._folds.spared_by:
            return Refusal(edit, "visible_lines", "no view shows its lines")
        if edit.spares and edit.target in self._folds.spared_by:
            return Refusal(edit, "visible_lines", "a newer view shows its lines")
        if self._covered(edit.target):
            return Refusal(edit, "whole_results", "the result that carries it goes as a whole")
        for guard in self._guards:
            held = guard.hold(edit, self._view)
            if held is not None:
                self._waits.for_end(held, edit.target)
                return Refusal(edit, guard.name, held.reason, held.turn)
        if edit.spares and not self._pays(edit):
            return Refusal(edit, "minimum_gain", "what may go because of it saves less than it adds")
        return None

    def _pays(self, view: Edit) -> bool:
        """Whether the parts that may go because of a view make up for it."""
        options = self._candidates.options
        drops = (edit for ref in view.spares for edit in options.get(ref, {}).values() if edit.bound)
        made = (edit for edit in drops if self._found.get(edit.target) == edit or not self._held(edit))
        return view.saved + sum(edit.saved for edit in made) > 0

    def _held(self, edit: Edit) -> bool:
        return any(guard.hold(edit, self._view) is not None for guard in self._guards)

    def _covered(self, target: Ref) -> bool:
        """Whether a part goes along with the result that it is inside of."""
        if target in self._view.by_ref:
            return False
        part = self._view.part(target)
        if not isinstance(part, Attachment) or part.inside is None:
            return False
        owner = self._found.get(Ref(target.message, part.inside))
        return owner is not None and isinstance(owner.replacement, Note)
