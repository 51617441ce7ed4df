"""Completes the answer to `context_prune` if the tool itself cannot see the history, as over MCP.

Such a tool only acknowledges the call. Before its answer is first sent, Prunus adds what could not be done, and the
status line of what was pruned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prunus.edits import Proposal
from prunus.engine.board import Board
from prunus.engine.decide import Rules
from prunus.history import Ref
from prunus.requested.targets import Choice
from prunus.strategies.strategy import TakesRequests
from prunus.tally import Notification, Tally, category_of, status
from prunus.view.uses import Use
from prunus.view.view import View


class Answering:
    """Completes the answers to requests that a tool only acknowledged.

    The added words follow from the history up to the call, so a history that is seen at once gets the same words.
    """

    def __init__(
        self, strategy: TakesRequests, view: View, board: Board, rules: Rules, notification: Notification
    ) -> None:
        self._strategy = strategy
        self._view = view
        self._board = board
        self._rules = rules
        self._notification: Notification = notification

    def choices(self, use: Use) -> tuple[tuple[Choice, ...], list[Ref]]:
        """Return the targets of an acknowledged call, and those of their parts that no edit cuts yet.

        Both are empty for any other call.
        """
        found = self._strategy.acknowledged_choices(use, self._view)
        if not found:
            return (), []
        cutting = (choice for choice in found if any(isinstance(move, Proposal) for move in choice.moves))
        refs = dict.fromkeys(choice.ref for choice in cutting if choice.ref is not None)
        return found, [ref for ref in refs if not any(self._made_now(ref))]

    def answer(self, use: Use, found: Sequence[Choice], whole: Iterable[Ref]) -> Iterator[Proposal]:
        """Return the edit that completes the answer, once the moves of the call are on the board."""
        tallies: dict[str, Tally] = {}
        items = []
        for ref in whole:
            saved = sum(one.saved for one in self._made_now(ref) if one.when.requested_by)
            if saved <= 0:
                continue
            cut = self._view.by_ref.get(ref)
            category = category_of(self._view.kind(ref))
            if cut is not None:
                saved += sum(one.saved for one in self._made_now(cut.call))
            tallies[category] = tallies.get(category, Tally()).add(1, saved)
            items.append(cut.tool if cut is not None else category)
        yield from self._strategy.complete_answer(
            use, found, status(tallies, self._notification, items), self._view
        )

    def _made_now(self, ref: Ref) -> Iterator[Proposal]:
        """Return the proposals for a part that could be made at once."""
        self._board.catch_up(ref)
        cell, view = self._board[ref], self._view
        for rank in tuple(cell.options):
            when = cell.options[rank].when
            due = not when.under_pressure and when.from_turn <= view.turn and when.from_loop <= view.loop
            if due and self._rules.allows(proposal := self._board.option(cell, rank)):
                yield proposal
