"""The edits in force: what the next request leaves out, whatever else could go."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from prunus.apply import extended
from prunus.edits import Added, Input, Proposal
from prunus.engine.sums import Sums
from prunus.engine.tally import Tallies
from prunus.history import Ref
from prunus.view import View

__all__ = ["InForce"]

_LEFT: Final = "what is left of the input of its call"


class InForce:
    """The edits in force, and what follows from them for the size of each message."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.chosen: dict[Ref, Proposal] = {}
        self._sorted: tuple[Proposal, ...] | None = ()
        self.made: list[Proposal] = []
        """The edits that were put in force in this request and changed something."""
        self.newly_cut: set[Ref] = set()
        """Parts that were whole before this request."""
        self.forgone: dict[Ref, Proposal] = {}
        """Superseded parts that stay whole, because a note would be longer, with the edit that was refused."""
        self.passed: list[Proposal] = []
        """The edits that were forgone in this request."""
        self.sizes = Sums()
        """The tokens of each message as it stands."""
        self.touched: set[int] = set()
        """Messages that are not rendered yet as they stand."""
        self.tallies = Tallies(view)

    def force(self, target: Ref, edit: Proposal | None) -> None:
        """An edit is in force from now on, or none is."""
        self._sorted = None
        old = self.chosen.pop(target, None)
        for changed, sign in ((old, -1), (edit, 1)):
            if changed is not None:
                self.tallies.count(changed, sign)
                self.sizes.add(target.message, -sign * changed.saved)
                self._leave(changed, sign)
        if edit is not None:
            self.chosen[target] = edit
            known = old is not None and old.replacement == edit.replacement
            if not known and not isinstance(edit.replacement, Added):
                self.made.append(edit)
                if old is None:
                    self.newly_cut.add(target)
        self.touched.add(target.message)

    def forgo(self, target: Ref, edit: Proposal | None) -> None:
        """A part was superseded and stays as it is, or that is so no longer."""
        old = self.forgone.pop(target, None)
        if old is not None:
            self.tallies.forgo(old, -1)
        if edit is not None:
            self.forgone[target] = edit
            self.tallies.forgo(edit, 1)
            if old is None:
                self.passed.append(edit)

    def _leave(self, edit: Proposal, sign: int) -> None:
        """Words that an edit of a call puts behind its result stand there from now on, or no longer."""
        if isinstance(edit.replacement, Input) and edit.replacement.result is not None:
            result, tokens = edit.replacement.result, sign * self._view.counter.count(edit.replacement.left)
            self.sizes.add(edit.target.message, -tokens)
            self.sizes.add(result.message, tokens)
            self.touched.add(result.message)

    def left(self, ref: Ref) -> str:
        """The words behind a result that tell what is left of the arguments of its call."""
        use = self._view.by_ref.get(ref)
        edit = self.chosen.get(use.call) if use is not None and use.result == ref else None
        return edit.replacement.left if edit is not None and isinstance(edit.replacement, Input) else ""

    def in_order(self) -> tuple[Proposal, ...]:
        """The edits in force by their places, as they are remembered; the same tuple until one changes."""
        if self._sorted is None:
            self._sorted = tuple(sorted(self.chosen.values(), key=lambda edit: edit.target))
        return self._sorted

    def edits(self) -> tuple[Proposal, ...]:
        """The edits in force, one for each part that is not as it came."""
        edits = dict(self.chosen)
        for call, edit in self.chosen.items():
            if not isinstance(edit.replacement, Input) or edit.replacement.result is None:
                continue
            result, words = edit.replacement.result, edit.replacement.left
            use, tokens = self._view.by_ref[result], self._view.counter.count(words)
            bare = Input(edit.replacement.value)
            edits[call] = replace(edit, replacement=bare, tokens_after=edit.tokens_after - tokens)
            plain = Proposal(
                result, Added(""), edit.strategy, _LEFT, tokens_before=use.tokens, tokens_after=use.tokens
            )
            own = self.chosen.get(result, plain)
            edits[result] = replace(
                own,
                replacement=extended(own.replacement, words),
                covers=own.covers | {call},
                tokens_after=own.tokens_after + tokens,
            )
        return tuple(edits.values())

    def lengthen(self, message: int, tokens: int) -> None:
        """Something stands in a message that did not come with it."""
        self.sizes.add(message, tokens)
        self.touched.add(message)

    def saved_of(self, ref: Ref) -> int:
        """The tokens that the edit in force takes from a part."""
        edit = self.chosen.get(ref)
        return 0 if edit is None else edit.saved
