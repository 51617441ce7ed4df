"""Which candidate each part gets: the first that is ripe and that nothing holds back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from prunus.edits import Note, Proposal, Refusal, Shorter
from prunus.engine.candidates import Candidates
from prunus.engine.folds import Folds
from prunus.engine.in_force import InForce
from prunus.engine.marks import Marks
from prunus.engine.pending import Pending
from prunus.engine.pointers import Pointers
from prunus.engine.waits import Waits
from prunus.engine.weighed import weighed
from prunus.errors import InvariantError
from prunus.guards import Guard
from prunus.guards.minimum_gain import MinimumGain
from prunus.history import Attachment, Ref, Result
from prunus.strategies.supersede import SUPERSEDED_BY
from prunus.view import View

__all__ = ["Decisions"]

_LONGEST: Final = 10_000
_ROUNDS: Final = 100
"""How often each part may be decided about in one request; two edits that drive each other out never end."""


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
        in_force: InForce,
    ) -> None:
        self._view = view
        self._guards = tuple(guards)
        self._candidates = candidates
        self._pending = pending
        self._found = pending.found
        self._folds = folds
        self._marks = marks
        self._in_force = in_force
        self._waits = Waits(view)
        self._pointers = Pointers(view, candidates, pending.found, folds)
        self.refused: dict[Ref, tuple[Refusal, ...]] = {}

    def wake(self) -> None:
        """Ask again what was waiting for this turn, this loop or this call."""
        for parts in self._waits.due():
            self._candidates.dirty.update(parts)

    def settle(self) -> None:
        """Decide about every part about which something changed, and what follows from that."""
        dirty = self._candidates.dirty
        left = _LONGEST + _ROUNDS * len(self._candidates.options)
        while dirty:
            self._decide(dirty.pop())
            left -= 1
            if not left:
                raise InvariantError("the edits of this history do not settle")

    def allows(self, edit: Proposal) -> bool:
        """Whether every guard would let an edit through now."""
        return not self._held(weighed(edit, self._view.part(edit.target), self._view))

    def _decide(self, target: Ref) -> None:
        refusals: list[Refusal] = []
        kept = target in self._candidates.kept
        choice, wanted = (None, False) if kept else self._choice(target, refusals)
        if kept:
            self._pointers.leave(target, False)
        if refusals:
            self.refused[target] = tuple(refusals)
        else:
            self.refused.pop(target, None)
        forgone = self._forgone(target, refusals) if choice is None else None
        if forgone is not None or target in self._in_force.forgone:
            self._in_force.forgo(target, forgone)
        if wanted:
            self._pending.wanted.add(target)
        else:
            self._pending.wanted.discard(target)
        if choice != self._found.get(target):
            self._choose(target, choice)
        elif wanted or kept:
            self._pending.compare(target)

    def _choice(self, target: Ref, refusals: list[Refusal]) -> tuple[Proposal | None, bool]:
        """The edit that a part gets now, and whether it was asked for; what was refused is put on the list."""
        choice = asked = back = fold = faded = None
        for edit in self._due(target):
            if edit.covers and (fold or faded):
                continue
            refusal = self._refusal(edit)
            if refusal is not None:
                refusals.append(refusal)
            elif edit.cause is not None and self._pointers.points_back(edit.cause, target):
                back = back or edit
            elif edit.covers and self._changes_nothing(edit):
                faded = edit
            elif edit.needs_cover or edit.covers:
                fold = edit
            elif asked is None and edit.when.requested_by and edit.ends_call:
                # The note of a strategy, if there is one, says more than that it was discarded.
                asked = edit
            elif asked is None or isinstance(edit.replacement, Note):
                choice = edit
                break
        choice = choice or asked
        self._pointers.leave(target, choice is not None)
        if back is not None and choice is None:
            refusals.append(Refusal(back, "visible_pointers", "what would replace it only points back to it"))
        elif back is not None and choice is not None and not isinstance(choice.replacement, Note):
            # It will not be shown in full, so the newer answer is, and nothing of it has to stay here.
            choice, fold = back, None
        if fold is not None and asked is None:
            choice = fold
        if faded is not None:
            # What it stood for stays away, whatever becomes of the part that it stood behind.
            choice = faded if choice is None else replace(choice, covers=faded.covers)
        return choice, asked is not None

    def _forgone(self, target: Ref, refusals: Sequence[Refusal]) -> Proposal | None:
        """The edit by which a part is superseded, and which is not made because it would save nothing."""
        use = self._view.by_ref.get(target)
        if use is None or use.cut:
            return None
        held = (refusal.edit for refusal in refusals if refusal.guard == MinimumGain.name)
        return next((edit for edit in held if edit.ends_call and edit.strategy in SUPERSEDED_BY), None)

    def _due(self, target: Ref) -> Iterator[Proposal]:
        """The candidates of a part whose time has come, the preferred ones first."""
        options = self._candidates.options.get(target, {})
        ranks = sorted(options)
        if self._marks.returns:
            # Then what goes must not depend on whether the context was short before, so pressure comes last.
            ranks.sort(key=lambda rank: options[rank].when.under_pressure)
        for rank in ranks:
            edit = options[rank]
            if edit.when.under_pressure and not self._marks.yields(edit):
                continue
            if edit.when.from_turn > self._view.turn:
                self._waits.for_turn(edit.when.from_turn, target)
            elif edit.when.from_loop > self._view.loop:
                self._waits.for_loop(edit.when.from_loop, target)
            else:
                yield edit

    def _changes_nothing(self, edit: Proposal) -> bool:
        """Whether a view has faded away, so that the part is as it was."""
        part = self._view.part(edit.target)
        return (
            isinstance(edit.replacement, Shorter)
            and isinstance(part, Result)
            and edit.replacement.text == part.text
        )

    def _choose(self, target: Ref, choice: Proposal | None) -> None:
        old = self._found.pop(target, None)
        if choice is not None:
            self._found[target] = choice
        before, after = old.covers if old else frozenset(), choice.covers if choice else frozenset()
        self._folds.spare(target, before, after)
        self._pending.compare(target)
        dirty = self._candidates.dirty
        for others in (self._candidates.rests_on, self._candidates.views):
            dirty.update(others.get(target, ()))
        pointers = (old, choice, *(self._found.get(ref) for ref in before ^ after))
        dirty.update(edit.points_to for edit in pointers if edit is not None and edit.points_to is not None)

    def _refusal(self, edit: Proposal) -> Refusal | None:
        if edit.when.requested_by == "prunus":
            return None
        hidden = self._pointers.hides(edit)
        if hidden is not None:
            return Refusal(edit, "visible_pointers", hidden)
        if edit.needs_cover and self._folds.view_of(edit.target) is None:
            return Refusal(edit, "visible_lines", "no view shows its lines")
        if edit.covers and self._folds.view_of(edit.target) is not None:
            return Refusal(edit, "visible_lines", "a newer view shows its lines")
        if self._covered(edit.target):
            return Refusal(edit, "whole_results", "the result that carries it goes as a whole")
        for guard in self._guards:
            held = guard.hold(edit, self._view)
            if held is not None:
                self._waits.for_end(held, edit.target)
                return Refusal(edit, guard.name, held.reason, held.turn)
        if edit.covers and not self._pays(edit):
            return Refusal(edit, "minimum_gain", "what may go because of it saves less than it adds")
        return None

    def _pays(self, view: Proposal) -> bool:
        """Whether the parts that may go because of a view make up for it."""
        options = (self._candidates.options.get(ref, {}) for ref in view.covers)
        # The preferred one of each part: it can go but once.
        drops = (next((own[rank] for rank in sorted(own) if own[rank].needs_cover), None) for own in options)
        return view.saved + sum(edit.saved for edit in drops if edit is not None and self._comes_of(edit)) > 0

    def _comes_of(self, drop: Proposal) -> bool:
        """Whether a part would go because of a view, and not because of something better."""
        if any(self._candidates.pointers(drop.target)):
            return False
        found = self._found.get(drop.target)
        if found is not None and self._candidates.comes_before(found, drop):
            return False
        return found == drop or not self._held(drop)

    def _held(self, edit: Proposal) -> bool:
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
