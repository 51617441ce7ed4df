"""Decides which proposal each part gets: the first one that is due and that nothing forbids.

`Rules.decide` decides about one part. It reads the board and changes nothing, except that the tokens of a proposal
are counted when they are first needed. Three relations tie parts together.

*Pointers.* A newer answer T gives way to a note that points to an older part S with the same text. The note is
refused if S leaves, that is, if S is cut for a reason of its own. In turn, S stays for T: a proposal to cut S
because T came is made only if S leaves anyway, and then T is shown, or if a still newer answer replaces T, so that
T never points to S.

*Covers.* A view V shows, behind one result, what is still true of older parts. Those parts may go while V covers
them. V is refused if a newer view covers V itself, if an answer points to the part of V, or if V does not pay.

*Both.* If T could point to S and a view covers T, then T needs no pointer: T goes with the view, and S may be
covered as well. If no view covers T, the pointer counts, and S may not be covered.

Why deciding ends. What a decision looks at forms no cycle:

1. Whether T leaves depends on its own proposals and on whether older parts leave to which T could point. It does
   not depend on covers: a note that is refused only because a view covers both T and S counts as if it were made.
2. Whether V is wanted depends on newer views (do they cover V?), on notes that point to V, and on the proposals of
   the parts that V covers, but not on whether these are wanted *because of* V.
3. Whether a newer answer replaces T for good depends on the proposals of T that rank before its pointers, and so on
   T and newer parts only.
4. A part looks at another one through a pointer in one direction only: if a view covers T, T looks at S and S does
   not look at T; if none does, S looks at T, and T looks only at whether S leaves, which covers do not change.

So every decision is final after those that it looks at are final, and the cells that are touched run out.
`tests/engine/test_decide.py` counts how often each part of generated histories is decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prunus.apply import spelled_out
from prunus.edits import Continued, Note, Proposal, Refusal, Shorter
from prunus.engine.board import Board
from prunus.engine.cell import Cell, Decision, Wait
from prunus.engine.weights import with_tokens
from prunus.guards.guard import Guard
from prunus.history import Ref, Result
from prunus.schedule.priorities import standing
from prunus.value import replace
from prunus.view.view import View


class Rules:
    """Decides about the parts of one board."""

    def __init__(self, board: Board, guards: Sequence[Guard], view: View) -> None:
        self._board = board
        self._guards = tuple(guards)
        self._view = view

    def allows(self, proposal: Proposal) -> bool:
        """Whether every guard would let a proposal through now."""
        return not self._held(with_tokens(proposal, self._view))

    def decide(self, target: Ref) -> Decision:
        """Return the edit that a part gets now, the refused proposals, and when to decide again."""
        cell = self._board[target]
        if cell.restored:
            return Decision()
        waits: list[Wait] = []
        refusals: list[Refusal] = []
        # The first proposal that has nothing to do with covers.
        own: Proposal | None = None
        # The agent or the user discarded the part.
        discard: Proposal | None = None
        # A newer answer replaces the part, and could point to the part instead.
        superseded: Proposal | None = None
        # The part goes because it is covered, or a view is shown behind it.
        cover: Proposal | None = None
        # A view of which nothing is left to show.
        faded: Proposal | None = None
        # A note would replace the superseded part, but would be longer.
        forgone: Proposal | None = None
        # The part would give way to a note that points to an older one, if no view covered it.
        gives_way = False
        for proposal in self._due(cell, waits):
            if proposal.covers and (cover or faded):
                continue
            refusal, too_small = self._refusal(proposal, cell, waits)
            if refusal is not None:
                refusals.append(refusal)
                gives_way = gives_way or self._gives_way(proposal, cell)
                if too_small and forgone is None and self._is_superseded(proposal):
                    forgone = proposal
            elif proposal.cause is not None and self._could_point_back(proposal.cause, target):
                superseded = superseded or proposal
            elif proposal.covers and self._shows_nothing(proposal):
                faded = proposal
            elif proposal.needs_cover or proposal.covers:
                cover = proposal
            elif discard is None and proposal.when.requested_by and proposal.ends_call:
                # The note of a strategy, if there is one, says more than that the part was discarded.
                discard = proposal
            elif discard is None or isinstance(proposal.replacement, Note):
                own = proposal
                break
        own = own or discard
        wanted = own
        if superseded is not None and own is None:
            reason = "what would replace it only points back to it"
            refusals.append(Refusal(superseded, "visible_pointers", reason))
        elif superseded is not None and own is not None and not isinstance(own.replacement, Note):
            # The part leaves anyway, so the newer answer is shown, and nothing of the part has to stay.
            wanted, cover = superseded, None
        if cover is not None and discard is None:
            wanted = cover
        if faded is not None:
            # The parts that the view covered stay away, whatever becomes of the part behind which it was shown.
            wanted = faded if wanted is None else replace(wanted, covers=faded.covers)
        return Decision(
            None if wanted is None else self._spelled_out(wanted),
            discard is not None,
            own is not None or gives_way,
            own is not None and self._is_replaced(own, cell),
            tuple(refusals),
            forgone if wanted is None else None,
            tuple(waits),
        )

    def _due(self, cell: Cell, waits: list[Wait]) -> Iterator[Proposal]:
        """The proposals for a part whose time has come, the preferred ones first."""
        options, view, pressed = cell.options, self._view, self._board.pressed
        ranks = sorted(options)
        if pressed.returns:
            # Then the outcome must not depend on earlier pressure, so proposals for pressure come last.
            ranks.sort(key=lambda rank: options[rank].when.under_pressure)
        for rank in ranks:
            when = options[rank].when
            if when.under_pressure and not self._yields(rank, cell):
                continue
            if when.from_turn > view.turn:
                waits.append(Wait(turn=when.from_turn))
            elif when.from_loop > view.loop:
                waits.append(Wait(loop=when.from_loop))
            else:
                yield self._board.option(cell, rank)

    def _yields(self, rank: int, cell: Cell) -> bool:
        """Whether pressure takes a marked part: its standing is low enough, or it is gone already."""
        pressed = self._board.pressed
        made = None if pressed.returns else cell.made
        if made is not None and made == self._spelled_out(self._board.option(cell, rank)):
            return True
        return bool(pressed.depth) and standing(cell.options[rank].target, self._view) in pressed.depth

    def _could_point_back(self, call: Ref, target: Ref) -> bool:
        """Whether a note in place of the answer of a call could point to a part."""
        use = self._view.by_ref.get(call)
        cell = None if use is None else self._board.get(use.result)
        return cell is not None and not cell.replaced and target in cell.pointers

    def _is_replaced(self, own: Proposal, cell: Cell) -> bool:
        """Whether a newer answer replaces a part, for a reason that ranks before all notes that point back."""
        if own.cause is None or not own.ends_call or own.points_to is not None:
            return False
        rank = self._board.rank(own)
        return all(one.points_to is None for other, one in cell.options.items() if other < rank)

    def _refusal(self, proposal: Proposal, cell: Cell, waits: list[Wait]) -> tuple[Refusal | None, bool]:
        """Why a proposal may not be made, and whether that is only because it would save too little."""
        if proposal.when.requested_by == "prunus":
            return None, False
        if (reason := self._broken_pointer(proposal, cell)) is not None:
            return Refusal(proposal, "visible_pointers", reason), False
        if proposal.needs_cover and not cell.covers:
            return Refusal(proposal, "visible_lines", "no view shows its lines"), False
        if proposal.covers and cell.covers:
            return Refusal(proposal, "visible_lines", "a newer view shows its lines"), False
        if self._goes_with_result(proposal.target):
            return Refusal(proposal, "whole_results", "the result that carries it goes as a whole"), False
        for guard in self._guards:
            hold = guard.hold(proposal, self._view)
            if hold is not None:
                waits.append(Wait(hold.turn, hold.loop, hold.uses))
                return Refusal(proposal, guard.name, hold.reason, hold.turn), hold.too_small
        if proposal.covers and not self._pays(proposal):
            reason = "what may go because of it saves less than it adds"
            return Refusal(proposal, "minimum_gain", reason), False
        return None, False

    def _broken_pointer(self, proposal: Proposal, cell: Cell) -> str | None:
        """Why a proposal would leave a note that points to something hidden; None if it would not."""
        shown = proposal.points_to
        if shown is not None:
            other = self._board[shown]
            gone = other.wanted is not None
            if proposal.when.before_first_send:
                gone = other.leaves or (gone and _goes_with_cover(cell))
            if gone:
                return "what it would point to is not shown in full any more"
        if cell.noted and not proposal.when.requested_by:
            return "a note in the history points to it"
        if (proposal.needs_cover or proposal.covers) and self._is_pointed_to(proposal.target, cell):
            return "a newer answer points to it"
        return None

    def _gives_way(self, pointer: Proposal, cell: Cell) -> bool:
        """Whether a note in place of a part points to a part that stays; covers do not count.

        Newer notes may not point to the part then, even while a view covers it. Otherwise they and the view would
        take turns: with the view the part needs no note, so that they may point to it, and then the view may not.
        """
        shown = pointer.points_to
        if shown is None or not pointer.when.before_first_send or not _goes_with_cover(cell):
            return False
        return not (self._board[shown].leaves or cell.noted or self._held(pointer))

    def _is_pointed_to(self, target: Ref, cell: Cell) -> bool:
        """Whether an answer points to a part and has to go on doing so."""
        for ref in cell.dependants:
            other = self._board[ref]
            pointer = other.wanted
            points = pointer is not None and pointer.when.before_first_send and pointer.points_to == target
            if points and not _goes_with_cover(other):
                return True
        return False

    def _pays(self, view: Proposal) -> bool:
        """Whether the parts that may go because of a view make up for its length."""
        saved = view.saved
        for ref in view.covers:
            cell = self._board[ref]
            # A part goes only once, so only its preferred proposal counts.
            drop = next((rank for rank in sorted(cell.options) if cell.options[rank].needs_cover), None)
            if drop is not None and self._goes_because_covered(option := self._board.option(cell, drop), cell):
                saved += option.saved
        return saved > 0

    def _goes_because_covered(self, drop: Proposal, cell: Cell) -> bool:
        """Whether a part would go because a view covers it, and not for a better reason."""
        if any(cell.pointers):
            return False
        wanted, rank = cell.wanted, self._board.rank
        if wanted is not None and rank(wanted) < rank(drop):
            return False
        return wanted == drop or not self._held(drop)

    def _held(self, proposal: Proposal) -> bool:
        return any(guard.hold(proposal, self._view) is not None for guard in self._guards)

    def _goes_with_result(self, target: Ref) -> bool:
        """Whether a part is inside a result that a note replaces."""
        carrier = self._view.carrier(target)
        wanted = None if carrier is None else self._board.wanted(carrier)
        return wanted is not None and isinstance(wanted.replacement, Note)

    def _shows_nothing(self, view: Proposal) -> bool:
        """Whether a view shows no lines any more, so that its part is unchanged."""
        replacement = view.replacement
        if isinstance(replacement, Continued):
            return not replacement.text
        part = self._view.part(view.target)
        return isinstance(replacement, Shorter) and isinstance(part, Result) and replacement.text == part.text

    def _spelled_out(self, proposal: Proposal) -> Proposal:
        """Return a proposal as it is made: with the text of its part, if the replacement continues that text."""
        if not isinstance(proposal.replacement, Continued):
            return proposal
        return spelled_out(proposal, self._view.part(proposal.target))

    def _is_superseded(self, proposal: Proposal) -> bool:
        """Whether a proposal says that a newer call replaces a result that is still shown."""
        use = self._view.by_ref.get(proposal.target)
        if use is None or use.cut or proposal.target != use.result or proposal.when.requested_by:
            return False
        return proposal.ends_call and proposal.cause is not None


def _goes_with_cover(cell: Cell) -> bool:
    """Whether a part could go because a view covers it, instead of pointing to another part."""
    return bool(cell.covers) and any(option.needs_cover for option in cell.options.values())
