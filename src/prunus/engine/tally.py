"""What the edits in force save, counted as they come and go."""

from __future__ import annotations

from typing import NamedTuple

from prunus.edits import Added, Edit
from prunus.history import Thinking
from prunus.view import View

__all__ = ["Tallies", "Tally"]


class Tally(NamedTuple):
    """How many edits there are, and the tokens they save."""

    count: int = 0  # type: ignore[assignment]  # a tuple's own count() is of no use here
    tokens: int = 0

    def add(self, count: int, tokens: int) -> Tally:
        return Tally(self.count + count, self.tokens + tokens)


class Tallies:
    """What is saved in all, by each strategy and in each category."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._cut_parts: dict[int, int] = {}
        self.saved = 0
        self.by_strategy: dict[str, Tally] = {}
        self.by_category: dict[str, Tally] = {}

    def count(self, edit: Edit, sign: int) -> None:
        """An edit came into force (1), or is so no longer (-1)."""
        self.saved += sign * edit.saved
        if isinstance(edit.replacement, Added):
            return
        use = self._view.by_ref.get(edit.target)
        thought = edit.strategy == "old_thinking" or (
            edit.asked and isinstance(self._view.part(edit.target), Thinking)
        )
        category = "tools" if use else "thinking" if thought else "messages"
        items = sign
        if use is not None:
            # A call whose input and result both go is one tool that was pruned.
            held = self._cut_parts.get(use.index, 0)
            self._cut_parts[use.index] = held + sign
            items = sign if held + min(sign, 0) == 0 else 0
        for table, key, count in (
            (self.by_strategy, edit.strategy, sign),
            (self.by_category, category, items),
        ):
            table[key] = table.get(key, Tally()).add(count, sign * edit.saved)
