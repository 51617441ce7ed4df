"""The board: one cell for each part of a conversation, with everything that is proposed and decided for the part.

Strategies put moves on the board. A part is *touched* when something changes that its decision depends on. Only
touched parts are decided again. The board touches them itself, except where the turn or the todo list has changed
(`touch_waiting`, `touch_all`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from prunus.edits import PREFERENCES, Move, Postpone, Proposal, Refusal, Withdraw
from prunus.engine.cell import NONE, Cell, Decision, Pressed, Wait
from prunus.engine.weights import with_tokens
from prunus.history import Ref
from prunus.strategies.strategy import AfterEdit, Strategy, TakesRequests, of_kind
from prunus.value import replace
from prunus.view.view import View

REMINDERS: Final = "reminders"
"""Reminders are proposed under this name. It ranks after every strategy."""


class Board:
    """The cells of one conversation, and the parts that have to be decided again."""

    def __init__(self, view: View, strategies: Sequence[Strategy]) -> None:
        self._view = view
        self._after_edit = of_kind(strategies, AfterEdit)
        self._rank = {strategy.name: PREFERENCES * i for i, strategy in enumerate(strategies, 1)}
        self._rank[REMINDERS] = PREFERENCES * (len(self._rank) + 1)
        self._requests = {strategy.name for strategy in of_kind(strategies, TakesRequests)}
        self._cells: dict[Ref, Cell] = {}
        self._touched: set[Ref] = set()
        self._later: dict[tuple[Ref, int], Postpone] = {}
        """The last postponement of each proposal since its part was decided, by part and rank.

        Most proposals are postponed several times before they are due. Until then their part waits for the turn
        that was known when it was decided, and only then for the later one.
        """
        self._marked: set[Ref] = set()
        """Parts with a proposal for times when the context runs short."""
        self._unsettled: set[Ref] = set()
        """Marked parts whose decision may change with the pressure."""
        self._refused: dict[Ref, None] = {}
        """Parts with refused proposals, in the order of their first refusal."""
        self.pressed = Pressed()
        self._waiting: tuple[dict[int, set[Ref]], ...] = ({}, {}, {})
        """Parts that have to be decided again at a turn, at a loop, or after a number of calls."""
        self._woken = Wait(0, 0, 0)
        """The turn, the loop and the number of calls up to which waiting parts were touched."""

    def __getitem__(self, ref: Ref) -> Cell:
        cell = self._cells.get(ref)
        if cell is None:
            cell = self._cells[ref] = Cell()
        return cell

    def get(self, ref: Ref) -> Cell | None:
        """Return the cell of a part; None if there was never a proposal for the part."""
        return self._cells.get(ref)

    def __iter__(self) -> Iterator[tuple[Ref, Cell]]:
        return iter(self._cells.items())

    def wanted(self, ref: Ref) -> Proposal | None:
        """The edit that a part would get now."""
        cell = self._cells.get(ref)
        return None if cell is None else cell.wanted

    def made(self, ref: Ref) -> Proposal | None:
        """The edit that a part has in the requests that are sent."""
        cell = self._cells.get(ref)
        return None if cell is None else cell.made

    @property
    def refused(self) -> tuple[tuple[Refusal, ...], ...]:
        """The proposals that were refused, part by part."""
        return tuple(self._cells[ref].refusals for ref in self._refused)

    def touch_waiting(self) -> None:
        """Touch the parts whose waiting time has ended since the last request."""
        now = Wait(self._view.turn, self._view.loop, len(self._view.uses))
        for waiting, last, current in zip(self._waiting, self._woken, now, strict=True):
            for at in range((last or 0) + 1, (current or 0) + 1):
                self._touched.update(waiting.pop(at, ()))
        self._woken = now

    def touch_all(self) -> None:
        """Touch every part with proposals."""
        self._touched.update(ref for ref, cell in self._cells.items() if cell.options)

    def next_touched(self) -> Ref | None:
        """Remove one part from the touched ones and return it; None if none is left."""
        if not self._touched:
            return None
        ref = self._touched.pop()
        self.catch_up(ref)
        return ref

    def catch_up(self, ref: Ref) -> None:
        """Apply the postponements that the proposals for a part got since its last decision."""
        options = self[ref].options if self._later else {}
        for rank, held in options.items():
            move = self._later.pop((ref, rank), None)
            if move is not None:
                when = replace(held.when, from_turn=move.from_turn)
                options[rank] = replace(held, when=when, reuse=move.reuse or held.reuse)

    def take(self, *moves: Move) -> None:
        """Carry out the moves of strategies."""
        for move in moves:
            match move:
                case Postpone():
                    self._postpone(move)
                case Proposal():
                    self._propose(move)
                case Withdraw():
                    self._withdraw(move)

    def rank(self, proposal: Proposal) -> int:
        """Return the place of a proposal among those for one part; the lowest is preferred."""
        return self._rank[proposal.strategy] - proposal.preference

    def option(self, cell: Cell, rank: int) -> Proposal:
        """Return a proposal for a part with its tokens, which are counted on the first call."""
        proposal = cell.options[rank]
        if not proposal.tokens_before and not proposal.tokens_after:
            proposal = cell.options[rank] = with_tokens(proposal, self._view)
        return proposal

    def press(self, pressed: Pressed) -> None:
        """Let pressure reach deeper or less deep, and touch the parts that this may change."""
        if pressed == self.pressed:
            return
        if pressed.returns != self.pressed.returns:
            self._unsettled = set(self._marked)
        self.pressed = pressed
        self._unsettled = {ref for ref in self._unsettled if not self._is_settled(self._cells[ref])}
        self._touched |= self._unsettled

    def want(self, ref: Ref, proposal: Proposal | None) -> None:
        """Change the wanted edit of a part, and touch every part whose decision depends on it."""
        cell = self[ref]
        old, cell.wanted = cell.wanted, proposal
        self._unsettle(ref)
        before, after = (one.covers if one else NONE for one in (old, proposal))
        changed = before ^ after
        for other in changed:
            self._cover(other, ref)
        self._touched |= cell.dependants
        self._touched |= cell.possible_covers
        pointers = (old, proposal, *map(self.wanted, changed))
        self._touched.update(one.points_to for one in pointers if one is not None and one.points_to is not None)

    def judge(self, ref: Ref, decision: Decision) -> None:
        """Record the decision about a part, and when the part has to be decided again.

        Notes that point to the part depend on whether it leaves. Parts to which it could point depend on whether a
        newer answer replaces it.
        """
        cell = self[ref]
        for wait in decision.waits:
            for waiting, at in zip(self._waiting, wait, strict=True):
                if at is not None:
                    waiting.setdefault(at, set()).add(ref)
        cell.refusals, cell.requested = decision.refusals, decision.requested
        if decision.refusals:
            self._refused[ref] = None
        else:
            self._refused.pop(ref, None)
        if decision.leaves != cell.leaves:
            cell.leaves = decision.leaves
            self._touched |= cell.dependants
        if decision.replaced != cell.replaced:
            cell.replaced = decision.replaced
            self._touched.update(cell.pointers)

    def make(self, ref: Ref, proposal: Proposal | None) -> Proposal | None:
        """Give a part another edit, or none; returns the edit that the part had."""
        cell = self[ref]
        old, cell.made = cell.made, proposal
        self._unsettle(ref)
        return old

    def forgo(self, ref: Ref, proposal: Proposal | None) -> Proposal | None:
        """Record the proposal that a part forgoes, or none; returns the one that it forwent before."""
        cell = self[ref]
        old, cell.forgone = cell.forgone, proposal
        return old

    def _cover(self, ref: Ref, by: Ref) -> None:
        """Record that another part begins or stops to cover a part."""
        cell = self[ref]
        covers = set(cell.covers) ^ {by}
        if not cell.covers or not covers:
            self._touched.add(ref)
        cell.covers = covers or NONE

    def _unsettle(self, ref: Ref) -> None:
        """Record that something about a part has changed, so that pressure may change its decision."""
        if ref in self._marked:
            self._unsettled.add(ref)

    def _is_settled(self, cell: Cell) -> bool:
        """Whether pressure changes nothing for a part: it goes for a better reason, or it is gone for good."""
        wanted = cell.wanted
        # A faded view leaves its part unchanged and saves nothing, so it is no better reason.
        faded = wanted is not None and bool(wanted.covers) and not wanted.saved
        better = wanted is not None and not wanted.when.under_pressure and not faded
        if not self.pressed.returns:
            return better or (cell.made is not None and cell.made.when.under_pressure)
        # If another part could point to this one, the better reason may hold only while pressure takes the part.
        # An edit that covers other parts is made even if its own part gets another edit.
        covers = any(one.when.under_pressure and one.covers for one in cell.options.values())
        return better and not cell.dependants and not covers

    def _propose(self, proposal: Proposal) -> None:
        target, rank = proposal.target, self.rank(proposal)
        cell = self[target]
        self._touched.add(target)
        if proposal.when.requested_by:
            cell.restored = False
        if proposal.when.under_pressure:
            self._marked.add(target)
        self._unsettle(target)
        held = cell.options.get(rank)
        if held is not None and held.points_to is not None:
            self._touched.add(held.points_to)
        # The proposals of one view cover the same parts.
        if proposal.covers and not any(one.covers is proposal.covers for one in cell.options.values()):
            for ref in proposal.covers:
                covered = self[ref]
                covered.possible_covers = _with(covered.possible_covers, target)
        cell.options[rank] = proposal
        self._later.pop((target, rank), None)
        if proposal.points_to is not None:
            self._depend(target, proposal.points_to)
        if (carrier := self._view.carrier(target)) is not None:
            self._depend(target, carrier)
        for strategy in self._after_edit:
            for more in strategy.follow(proposal, self._view):
                self._propose(self._under_preferred_name(more))

    def _under_preferred_name(self, proposal: Proposal) -> Proposal:
        """Return a proposal that follows another one, counted under the preferred strategy that cuts its call.

        Requests are preferred least: if the agent discards a result, the note of a strategy still replaces it.
        """
        held = self[proposal.target].options.get(self.rank(proposal))
        if held is None or not held.follows or not proposal.follows:
            return proposal
        names = (held.follows, proposal.follows)
        return replace(proposal, follows=min(names, key=lambda name: (name in self._requests, self._rank[name])))

    def _postpone(self, move: Postpone) -> None:
        cell, rank = self._cells.get(move.target), self._rank[move.strategy] - move.preference
        held = cell.options.get(rank) if cell is not None else None
        if held is None:
            return
        before = self._later.get((move.target, rank))
        from_turn = held.when.from_turn if before is None else before.from_turn
        if from_turn <= self._view.turn and held.when.from_loop <= self._view.loop:
            return
        if before is not None and before.reuse and not move.reuse:
            move = replace(move, reuse=before.reuse)
        self._later[move.target, rank] = move
        if move.from_turn < from_turn:
            self._touched.add(move.target)

    def _withdraw(self, move: Withdraw) -> None:
        cell = self[move.target]
        cell.options.pop(self._rank[move.strategy], None)
        self._unsettle(move.target)
        cell.restored |= move.restored
        self._touched.add(move.target)
        if move.points_to is not None:
            self[move.points_to].noted = True
            self._touched.add(move.points_to)

    def _depend(self, target: Ref, other: Ref) -> None:
        cell = self[other]
        cell.dependants = _with(cell.dependants, target)
        self._unsettle(other)


def _with(refs: set[Ref] | frozenset[Ref], ref: Ref) -> set[Ref]:
    """Return the set with one more part. Most cells refer to no other cell and share the empty set."""
    found = refs if isinstance(refs, set) else set(refs)
    found.add(ref)
    return found
