"""The edits that are made, the size of each message with them, and the tokens that they save."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from prunus.apply import with_text_behind
from prunus.edits import Added, Input, Proposal
from prunus.engine.board import Board
from prunus.engine.prefix_sums import Sums
from prunus.history import Ref
from prunus.tally import Tally, category_of
from prunus.value import replace
from prunus.view.view import View

_LEFT: Final = "what is left of the input of its call"


class Tallies:
    """The savings in total, by strategy and by category.

    A call whose input and result both go counts as one item.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._parts: dict[tuple[Ref, str], int] = {}
        """How many parts of an item are counted under a strategy or a category."""
        self.saved = 0
        self.by_strategy: dict[str, Tally] = {}
        self.by_category: dict[str, Tally] = {}

    def count(self, edit: Proposal, sign: int) -> None:
        """Count an edit that is made (1), or no longer made (-1)."""
        self.saved += sign * edit.saved
        if isinstance(edit.replacement, Added):
            return
        item = self._item(edit.target)
        self._add(self.by_strategy, item, edit.counted_as, sign, edit.saved)
        self._add(self.by_category, item, category_of(self._view.kind(edit.target)), sign, edit.saved)

    def forgo(self, edit: Proposal, sign: int) -> None:
        """Count a superseded part that stays because a note would be longer (1), or stop counting it (-1)."""
        self._add(self.by_strategy, self._item(edit.target), edit.counted_as, sign, 0)

    def _item(self, target: Ref) -> Ref:
        """Return the call that a part belongs to, or the part itself."""
        use = self._view.by_ref.get(target)
        return target if use is None else use.call

    def _add(self, table: dict[str, Tally], item: Ref, name: str, sign: int, tokens: int) -> None:
        held = self._parts.get((item, name), 0)
        self._parts[item, name] = held + sign
        items = sign if held + min(sign, 0) == 0 else 0
        table[name] = table.get(name, Tally()).add(items, sign * tokens)


class Made:
    """The edits that are made, and the size of each message with them."""

    def __init__(self, board: Board, view: View) -> None:
        self._board = board
        self._view = view
        self._places: list[Ref] = []
        """The parts with edits, in order."""
        self._edits: list[Proposal] = []
        """Their edits."""
        self._in_order: tuple[Proposal, ...] | None = ()
        self._touched: set[int] = set()
        self.new: list[Proposal] = []
        """The edits that this request makes and that change something."""
        self.newly_cut: set[Ref] = set()
        """Parts that were whole before this request."""
        self.passed: list[Proposal] = []
        """The proposals that were forgone in this request, because a note would be longer than its part."""
        self.sizes = Sums()
        """The tokens of each message as it stands."""
        self.tallies = Tallies(view)

    def begin(self) -> None:
        """Start a new request."""
        self.new.clear()
        self.passed.clear()
        self.newly_cut.clear()

    def put(self, target: Ref, edit: Proposal | None) -> None:
        """Make an edit, in place of the one that the part had before."""
        self._in_order = None
        old = self._board.make(target, edit)
        for changed, sign in ((old, -1), (edit, 1)):
            if changed is not None:
                self.tallies.count(changed, sign)
                self.sizes.add(target.message, -sign * changed.saved)
                self._move_outline(changed, sign)
        self._touched.add(target.message)
        at = bisect_left(self._places, target)
        if old is not None:
            del self._places[at], self._edits[at]
        if edit is None:
            return
        self._places.insert(at, target)
        self._edits.insert(at, edit)
        known = old is not None and old.replacement == edit.replacement
        if not known and not isinstance(edit.replacement, Added):
            self.new.append(edit)
            if old is None:
                self.newly_cut.add(target)

    def forgo(self, target: Ref, proposal: Proposal | None) -> None:
        """Record that a superseded part stays because its note would be longer, or that this is over."""
        old = self._board.forgo(target, proposal)
        if old is not None:
            self.tallies.forgo(old, -1)
        if proposal is not None:
            self.tallies.forgo(proposal, 1)
            if old is None:
                self.passed.append(proposal)

    def lengthen(self, message: int, tokens: int) -> None:
        """Count tokens that Prunus adds to a message."""
        self.sizes.add(message, tokens)
        self._touched.add(message)

    def take_touched(self) -> set[int]:
        """Return the messages whose rendered form is out of date."""
        touched, self._touched = self._touched, set()
        return touched

    def _move_outline(self, edit: Proposal, sign: int) -> None:
        """Count the outline of removed arguments at the result behind which it stands."""
        if isinstance(edit.replacement, Input) and edit.replacement.result is not None:
            result, tokens = edit.replacement.result, sign * self._view.counter.count(edit.replacement.left)
            self.sizes.add(edit.target.message, -tokens)
            self.sizes.add(result.message, tokens)
            self._touched.add(result.message)

    def outline(self, ref: Ref) -> str:
        """Return the outline of removed arguments behind a result; empty if there is none."""
        use = self._view.by_ref.get(ref)
        edit = self._board.made(use.call) if use is not None and use.result == ref else None
        return edit.replacement.left if edit is not None and isinstance(edit.replacement, Input) else ""

    def in_order(self) -> tuple[Proposal, ...]:
        """Return the edits by their places, as the ledger stores them; the same tuple until an edit changes."""
        if self._in_order is None:
            self._in_order = tuple(self._edits)
        return self._in_order

    def with_outlines(self, made: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
        """Return one edit for each changed part, including the results that carry an outline."""
        edits = {edit.target: edit for edit in made}
        for edit in made:
            if not isinstance(edit.replacement, Input) or edit.replacement.result is None:
                continue
            result, words = edit.replacement.result, edit.replacement.left
            use, tokens = self._view.by_ref[result], self._view.counter.count(words)
            alone = Input(edit.replacement.value)
            edits[edit.target] = replace(edit, replacement=alone, tokens_after=edit.tokens_after - tokens)
            plain = Proposal(result, Added(""), edit.strategy, _LEFT, use.tokens, use.tokens)
            own = edits.get(result, plain)
            edits[result] = replace(
                own,
                replacement=with_text_behind(own.replacement, words),
                covers=own.covers | {edit.target},
                tokens_after=own.tokens_after + tokens,
            )
        return tuple(edits.values())
