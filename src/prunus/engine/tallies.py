"""What the edits in force save, counted as they come and go."""

from __future__ import annotations

from prunus.edits import Added, Proposal
from prunus.history import Ref
from prunus.tally import Tally, category_of
from prunus.view.view import View


class Tallies:
    """What is saved in all, by each strategy and in each category.

    A call whose input and result both go is one item.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._parts: dict[tuple[Ref, str], int] = {}
        """How many parts of an item are counted under a strategy or a category."""
        self.saved = 0
        self.by_strategy: dict[str, Tally] = {}
        self.by_category: dict[str, Tally] = {}

    def count(self, edit: Proposal, sign: int) -> None:
        """An edit came into force (1), or is so no longer (-1)."""
        self.saved += sign * edit.saved
        if isinstance(edit.replacement, Added):
            return
        item = self._item(edit.target)
        self._add(self.by_strategy, item, edit.counted_as, sign, edit.saved)
        kind = self._view.shapes[edit.target.message].kinds[edit.target.part]
        self._add(self.by_category, item, category_of(kind), sign, edit.saved)

    def forgo(self, edit: Proposal, sign: int) -> None:
        """A part was superseded and stays whole, because a note would be longer (1), or that is over (-1)."""
        self._add(self.by_strategy, self._item(edit.target), edit.counted_as, sign, 0)

    def _item(self, target: Ref) -> Ref:
        """What a part counts as: the call that it belongs to, or itself."""
        use = self._view.by_ref.get(target)
        return target if use is None else use.call

    def _add(self, table: dict[str, Tally], item: Ref, name: str, sign: int, tokens: int) -> None:
        held = self._parts.get((item, name), 0)
        self._parts[item, name] = held + sign
        items = sign if held + min(sign, 0) == 0 else 0
        table[name] = table.get(name, Tally()).add(items, sign * tokens)
