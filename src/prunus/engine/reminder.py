"""The reminder at the end of the newest message."""

from __future__ import annotations

from prunus.edits import OWN_WORDS, Added, Proposal, Withdraw
from prunus.engine.board import REMINDERS, Board
from prunus.engine.prefix_sums import Sums
from prunus.history import Ref, Result, Text
from prunus.notes import reminder_note, without_reminder
from prunus.schedule.pressure import Pressure, advice
from prunus.schedule.reminders import Reminders, place_for
from prunus.view.uses import Piece
from prunus.view.view import View


class Reminder:
    """The reminders of one conversation, and where they stand."""

    def __init__(self, rules: Reminders, view: View, board: Board, sizes: Sums, pressure: Pressure) -> None:
        self._rules = rules
        self._pressure = pressure
        self._view = view
        self._board = board
        self._sizes = sizes
        self._called: int | None = None
        """The turn in which the user asked for reflection."""
        self.said: Ref | None = None
        """The part of the newest message that already has a reminder, in a request that is sent again."""

    def hear(self, piece: Piece) -> None:
        """Notice the word with which the user asks for reflection."""
        if self._called is None and self._rules.calls_for_reflection(piece):
            self._called = piece.turn

    @property
    def tokens(self) -> int:
        """The tokens of the reminder in the newest message, added here or present in a pruned request."""
        edit = self._board.wanted(self.said) if self.said is not None else None
        if edit is not None and isinstance(edit.replacement, Added):
            return -edit.saved
        count = self._view.counter.count
        newest = self._view.message(len(self._view.turns) - 1)
        texts = [part.text for part in newest.parts if isinstance(part, Text | Result)]
        return sum(count(text) - count(own) for text in texts if (own := without_reminder(text)) != text)

    def retire(self, newest: int) -> None:
        """Let reminders before the newest message go with the next flush."""
        if self.said is not None and self.said.message != newest:
            self._board.take(Withdraw(self.said, REMINDERS))
            self.said = None

    def remind(self, newest: int, around: int, window: int) -> None:
        """Add the reminder that is due to the end of the newest message, right before the request is sent.

        `around` is the number of tokens outside the messages, and `window` the model's context window.
        """
        view = self._view
        message = view.message(newest)
        place = place_for(message)
        if self.said is not None or place is None:
            return
        start = next((i for i in range(newest, 0, -1) if view.turns[i - 1] < view.turn), 0)
        before, now = (around + self._sizes.before(i) for i in (start, newest + 1))
        shares = (before / window, now / window) if window else (0.0, 0.0)
        words = self._rules.words(view, self._called, *shares, advice(self._pressure.level(now, window)), now)
        if words:
            self.said = Ref(newest, place)
            text = Added(reminder_note(words))
            self._board.take(Proposal(self.said, text, REMINDERS, "a reminder is due", when=OWN_WORDS))
