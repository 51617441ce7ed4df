"""Pending edits: those that are wanted and not made yet, and how they are made.

A view and the parts that it covers are made together: a part may only go while a view that covers it is shown. So
for the schedule all of them count at the first message that one of them changes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Set

from prunus.edits import Proposal
from prunus.engine.board import Board
from prunus.engine.cell import Cell
from prunus.engine.made import Made
from prunus.history import Ref


class Pending:
    """The difference between the edits that are wanted and those that are made."""

    def __init__(self, board: Board, made: Made) -> None:
        self._board = board
        self._made = made
        self.gains: dict[Ref, int] = {}
        """Parts with another wanted edit than is made, and the tokens that making it would save."""
        self._held: set[Ref] = set()
        """Pending edits that are not worth the risk for now."""
        self._urgent: set[Ref] = set()
        """Pending edits that were requested."""
        self._by_message: dict[int, tuple[int, int]] = {}
        """The tokens that would go in each message, and of how many parts."""
        self._messages: list[int] = []
        self._covering: set[Ref] = set()
        """Pending edits of views and of parts that views cover."""
        self._starts: dict[Ref, int] | None = None
        """The first message that changes with each view, by the part behind which the view is shown."""
        self._queue: list[tuple[int, int]] = []

    def compare(self, target: Ref) -> None:
        """Update whether the wanted edit of a part is still pending."""
        cell = self._board[target]
        wanted, made = cell.wanted, cell.made
        self._held.discard(target)
        before = self.gains.pop(target, None)
        after = None if wanted == made else (wanted.saved if wanted else 0) - (made.saved if made else 0)
        if after is not None:
            self.gains[target] = after
        covering = after is not None and any(
            edit is not None and (edit.needs_cover or edit.covers) for edit in (wanted, made)
        )
        _put(self._covering, target, covering)
        self._starts = None
        _put(self._urgent, target, after is not None and _is_requested(cell))
        self._add_up(target.message, before, after)

    def _add_up(self, message: int, before: int | None, after: int | None) -> None:
        tokens, parts = self._by_message.get(message, (0, 0))
        parts += (after is not None) - (before is not None)
        if message not in self._by_message and parts:
            insort(self._messages, message)
        elif message in self._by_message and not parts:
            del self._by_message[message], self._messages[bisect_left(self._messages, message)]
        if parts:
            self._by_message[message] = tokens + (after or 0) - (before or 0), parts

    def risky(self) -> list[Proposal]:
        """Return the pending edits whose text may be used again, without views and the parts that they cover."""
        edits = (self._board.wanted(ref) for ref in self.gains if ref not in self._covering)
        return [edit for edit in edits if edit is not None and edit.reuse]

    def hold(self, refs: Set[Ref]) -> None:
        """Keep the edits of these parts out of the next flush."""
        if refs != self._held:
            self._held = set(refs)
            self._starts = None

    def waiting(self) -> list[tuple[int, int]]:
        """Return the messages with pending edits, oldest first, and the tokens that each would lose."""
        gains = self._by_message
        if self._held:
            gains = dict(gains)
            for ref in self._held:
                tokens, parts = gains[ref.message]
                gains[ref.message] = tokens - self.gains[ref], parts - 1
        if not self._covering:
            return [(message, gains[message][0]) for message in self._messages if gains[message][1]]
        if self._starts is None or not self._queue:
            moved = dict(gains)
            for ref in self._covering:
                for message, sign in ((ref.message, -1), (self._place(ref), 1)):
                    tokens, parts = moved.get(message, (0, 0))
                    moved[message] = tokens + sign * self.gains[ref], parts + sign
            self._queue = sorted((message, tokens) for message, (tokens, parts) in moved.items() if parts)
        return self._queue

    def _place(self, ref: Ref) -> int:
        """Return the message at which a pending edit counts for the schedule."""
        if ref not in self._covering:
            return ref.message
        if self._starts is None:
            self._starts, self._queue = {}, []
            for one in self._covering:
                holder = self._board[one].cover or one
                self._starts[holder] = min(one.message, self._starts.get(holder, one.message))
        return self._starts[self._board[ref].cover or ref]

    def requested(self) -> set[Ref]:
        """Return the parts with requested pending edits, and the parts that have to change with them."""
        found = {ref for target in self._urgent for ref in (target, *self._along(target))}
        return found & self.gains.keys()

    def _along(self, target: Ref) -> Iterator[Ref]:
        """Yield the parts that may have to change with a part: its dependants, and the parts that it covers."""
        cell = self._board[target]
        yield from cell.dependants
        if cell.made is not None:
            yield from cell.made.covers

    def flushed(self, cut: int, sent: int) -> int:
        """Return the tokens that a flush from a message on removes from the first `sent` messages."""
        return sum(
            gain
            for ref, gain in self.gains.items()
            if ref.message < sent and (self._is_due(ref, cut) or ref in self._urgent)
        )

    def _is_due(self, ref: Ref, cut: int) -> bool:
        return self._place(ref) >= cut and ref not in self._held

    def put(self, target: Ref, edit: Proposal | None) -> None:
        """Make an edit."""
        self._made.put(target, edit)
        self.compare(target)

    def flush(self, cut: int) -> None:
        """Make the pending edits from a message on, unless that would hide a part that a note points to."""
        waiting: list[Ref] = []
        requested = self.requested()
        for target in [ref for ref in self.gains if self._is_due(ref, cut) or ref in requested]:
            cell = self._board[target]
            wanted, made = cell.wanted, cell.made
            points = wanted is not None and (wanted.points_to is not None or wanted.needs_cover)
            if points or (made is not None and made.covers):
                waiting.append(target)
                continue
            others = (ref for ref in cell.dependants if ref.message < cut and ref not in requested)
            pointers = map(self._board.made, others)
            if not any(pointer is not None and pointer.points_to == target for pointer in pointers):
                self.put(target, wanted)
        while waiting:
            for target in waiting:
                if self._shows_all(self._board[target]):
                    self.put(target, self._board.wanted(target))
            left = [target for target in waiting if target in self.gains]
            if len(left) == len(waiting):
                break
            # The edits that were just made may have been what others waited for.
            waiting = left

    def _shows_all(self, cell: Cell) -> bool:
        """Whether making the wanted edit of a part leaves everything visible that notes and views promise."""
        wanted, made = cell.wanted, cell.made
        if wanted is not None:
            if wanted.points_to is not None and self._board.made(wanted.points_to) is not None:
                return False
            if wanted.needs_cover and not self._is_covered(wanted.target):
                return False
        return made is None or all(self._is_covered(ref) or not self._went_covered(ref) for ref in made.covers)

    def _went_covered(self, ref: Ref) -> bool:
        """Whether a part is cut only because a view covers it."""
        edit = self._board.made(ref)
        return edit is not None and edit.needs_cover

    def _is_covered(self, ref: Ref) -> bool:
        """Whether the view that is wanted for a part is made."""
        at = self._board[ref].cover
        view = self._board.made(at) if at is not None else None
        return view is not None and ref in view.covers


def _is_requested(cell: Cell) -> bool:
    own = cell.wanted is not None and cell.wanted.when.requested_by is not None
    return cell.restored or cell.requested or own


def _put(refs: set[Ref], ref: Ref, present: bool) -> None:
    if present:
        refs.add(ref)
    else:
        refs.discard(ref)
