"""Counts what the edits in force save, as edits are made and undone."""

from __future__ import annotations

from prunus.edits import Added, Proposal
from prunus.history import Ref
from prunus.tally import Tally, category_of
from prunus.view.view import View


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
        kind = self._view.shapes[edit.target.message].kinds[edit.target.part]
        self._add(self.by_category, item, category_of(kind), sign, edit.saved)

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
