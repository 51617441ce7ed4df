"""The answer to `context_prune` where the tool itself cannot see the history, as over MCP.

Such a tool only says that the call was noted. What could not be done, and the status line of what was pruned, are
put behind those words before the answer is sent for the first time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prunus.edits import Proposal
from prunus.engine.candidates import Candidates
from prunus.engine.decisions import Decisions
from prunus.history import Ref, Result
from prunus.requested.request import is_prune
from prunus.requested.targets import ACKNOWLEDGED, Choice
from prunus.strategies.asked import Asked
from prunus.tally import Notification, Tally, category_of, status
from prunus.view import Use, View

__all__ = ["Acknowledging"]


class Acknowledging:
    """Looks at each call of `context_prune` that was only acknowledged.

    What it says follows from the history up to the call: a history that is seen at once gets the same words.
    """

    def __init__(
        self, rules: Asked, view: View, candidates: Candidates, decisions: Decisions, notification: Notification
    ) -> None:
        self._rules = rules
        self._view = view
        self._candidates = candidates
        self._decisions = decisions
        self._notification = notification

    def choices(self, use: Use) -> tuple[Choice, ...]:
        """What an acknowledged call asks for; nothing for every other call."""
        if not is_prune(use.tool) or not use.ok:
            return ()
        result = self._view.part(use.result)
        if not isinstance(result, Result) or ACKNOWLEDGED not in result.text or not result.texts:
            return ()
        earlier = [before for before in self._view.uses[: use.index] if any(self._rules.groups(before))]
        return self._rules.choices(use, earlier, self._view)

    def whole(self, found: Sequence[Choice]) -> list[Ref]:
        """The parts that these choices would cut and that nothing cuts yet."""
        refs = [
            choice.ref
            for choice in found
            if choice.ref is not None and any(isinstance(move, Proposal) for move in choice.moves)
        ]
        return [ref for ref in dict.fromkeys(refs) if not any(map(self._made_now, self._options(ref)))]

    def answer(self, use: Use, found: Sequence[Choice], whole: Sequence[Ref]) -> Iterator[Proposal]:
        """The edit that completes the answer, once the edits of the call are candidates."""
        tallies: dict[str, Tally] = {}
        items = []
        for ref in whole:
            saved = sum(
                edit.saved for edit in self._options(ref) if edit.when.requested_by and self._made_now(edit)
            )
            if saved <= 0:
                continue
            cut = self._view.by_ref.get(ref)
            category = category_of(self._view.shapes[ref.message].kinds[ref.part])
            if cut is not None:
                saved += sum(edit.saved for edit in self._options(cut.call) if self._made_now(edit))
            tallies[category] = tallies.get(category, Tally()).add(1, saved)
            items.append(cut.tool if cut is not None else category)
        yield from self._rules.completed(use, found, status(tallies, self._notification, items), self._view)

    def _options(self, ref: Ref) -> list[Proposal]:
        return [*self._candidates.options.get(ref, {}).values()]

    def _made_now(self, edit: Proposal) -> bool:
        """Whether an edit would be made at once."""
        due = (
            not edit.when.under_pressure
            and edit.when.from_turn <= self._view.turn
            and edit.when.from_loop <= self._view.loop
        )
        return due and self._decisions.allows(edit)
