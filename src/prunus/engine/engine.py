"""The edits of one conversation, kept up to date as it grows.

Each message is looked at once. What it brings is told to the strategies in order (`hearing`); what they propose
becomes a candidate for its part (`candidates`). A part is decided anew only when something about it changed: a new
candidate, an age that was waited for, a pointer that lost what it showed (`decisions`, `pointers`). What was found
waits until it is put in force (`pending`, `in_force`), and only then the bytes change (`rendering`). So a request
costs what is new in it, and a history seen at once ends in the same edits as one seen message by message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from prunus.calls import Toolbox
from prunus.edits import Added, Move, Proposal
from prunus.engine.acknowledging import Acknowledging
from prunus.engine.candidates import Candidates
from prunus.engine.decisions import Decisions
from prunus.engine.folds import Folds
from prunus.engine.hearing import Hearing
from prunus.engine.in_force import InForce
from prunus.engine.marks import Marks
from prunus.engine.pending import Pending
from prunus.engine.reminder import Reminder
from prunus.engine.rendering import Rendering
from prunus.engine.tags import Tags
from prunus.guards import Guard
from prunus.guards.open_loop import OpenLoop
from prunus.guards.protected_tools import ProtectedTools
from prunus.history import Message, Ref
from prunus.notes import Words
from prunus.requested.command import read_command
from prunus.requested.commands import wishes
from prunus.schedule.ledger import Flush, Ledger, Written
from prunus.schedule.pressure import Pressure
from prunus.schedule.priorities import Standing
from prunus.schedule.reminders import Reminding
from prunus.strategies import Strategy
from prunus.strategies.asked import Asked
from prunus.tally import Notification
from prunus.tokens import Counter
from prunus.view import Piece, Use, View

__all__ = ["Engine"]


class Engine:
    """What could go in one conversation, what must stay, and the bytes that follow from it."""

    def __init__(
        self,
        format: str,
        strategies: Sequence[Strategy],
        guards: Sequence[Guard],
        toolbox: Toolbox,
        counter: Counter,
        *,
        tags: bool = False,
        declared: bool = True,
        own_ids: bool = True,
        words: Words = "prunus",
        reminders: Reminding | None = None,
        pressure: Pressure | None = None,
        notification: Notification = "minimal",
    ) -> None:
        self.view = view = View(toolbox, counter, declared=declared, words=words)
        self.ids, self.names = view.ids, view.names
        self.asked = next((strategy for strategy in strategies if isinstance(strategy, Asked)), None)
        self.manual = False
        """The user has switched off cutting by itself."""
        self._obeyed = 0
        self.room: tuple[int, int] = (0, 0)
        """The tokens around the messages, and those that the model can take, for reminders."""
        self.tags = Tags(view, self.asked, shown=tags, own=own_ids)
        self._protected = next((guard for guard in guards if isinstance(guard, ProtectedTools)), None)
        self._hearing = Hearing(view, strategies)
        self._candidates = Candidates(view, strategies)
        self._in_force = InForce(view)
        self._folds = Folds(self._in_force.chosen, self._candidates.dirty)
        self._pending = Pending(self._candidates, self._in_force, self._folds)
        self._marks = Marks(
            view,
            self._candidates.marked,
            self._candidates.options,
            self._pending.found,
            self._in_force.chosen,
        )
        self._decisions = Decisions(
            view, guards, self._candidates, self._pending, self._folds, self._marks, self._in_force
        )
        self._acknowledging = None
        if self.asked is not None:
            self._acknowledging = Acknowledging(self.asked, view, self._candidates, self._decisions, notification)
        self._rendering = Rendering(format, view, self._in_force, self.tags)
        self._reminder = (
            Reminder(reminders, view, self._candidates, self._in_force.sizes, pressure or Pressure())
            if reminders is not None
            else None
        )
        self.candidates = self._candidates.options
        """What is proposed for each part, by rank."""
        self.found = self._pending.found
        """The edit that each part would get now."""
        self.refused = self._decisions.refused
        self.chosen = self._in_force.chosen
        """The edits in force."""
        self.made = self._in_force.made
        """The edits that were put in force in this request."""
        self.passed = self._in_force.passed
        """What was superseded in this request and stays as it is, because a note would be longer."""
        self.pending = self._pending.gains
        """Parts for which found and chosen differ, and the tokens that a flush would save there."""
        self.urgent = self._pending.urgent
        """Pending edits that were asked for."""
        self.sizes = self._in_force.sizes
        """The tokens of each message as it stands."""
        self.by_strategy = self._in_force.tallies.by_strategy
        self.by_category = self._in_force.tallies.by_category
        self.rendered = self._rendering.rendered
        self.edited = self._rendering.edited
        """The messages with edits, in order."""

    @property
    def saved(self) -> int:
        """The tokens that all edits in force save."""
        return self._in_force.tallies.saved

    @property
    def changed(self) -> tuple[int, ...]:
        """The messages whose edits are other than in the request before."""
        return self._rendering.changed

    @property
    def rendered_size(self) -> int:
        """The bytes of all messages with edits."""
        return self._rendering.size

    @property
    def depth(self) -> tuple[Standing, ...]:
        """What may go of the parts that are marked for times of pressure."""
        return self._marks.depth

    def look(
        self,
        count: int,
        load: Callable[[int], Message],
        commands: Sequence[tuple[int, str]] = (),
        enough: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Show the messages up to `count` to the strategies; False where `enough` ended it before the last one.

        `commands` are all that the user ever asked for outside of the history, such as `sweep 5`, each with the
        number of messages that there were then.
        """
        view = self.view
        view.look_at(load)
        try:
            for index in range(len(view.turns), count):
                if enough():
                    return False
                self._obey(commands)
                before, colours = view.tokens, view.colours
                events = view.extend(load(index))
                if view.colours != colours:
                    # Other parts may have to stay than before.
                    self._candidates.dirty.update(self._candidates.options)
                self.sizes.append(view.tokens - before)
                for event in events:
                    self._hear(event)
            self._obey(commands)
        finally:
            view.look_at(None)
        return True

    def take_over(self, edits: Iterable[Proposal], load: Callable[[int], Message]) -> None:
        """Put these edits in force and no others.

        Another process made them, or the conversation that this one left. Every message that they change has been
        looked at.
        """
        self.view.look_at(load)
        try:
            # Reasoning comes back where a loop that was over was undone and is open again.
            wanted = {edit.target: edit for edit in edits if OpenLoop().hold(edit, self.view) is None}
            for target in [*self.chosen]:
                if target not in wanted:
                    self._pending.put(target, None)
            for target, edit in wanted.items():
                if self.chosen.get(target) != edit:
                    self._pending.put(target, edit)
            if any(edit.when.under_pressure for edit in wanted.values()):
                # What was cut under pressure stays cut, so it has to be known what that was.
                self.mark()
        finally:
            self.view.look_at(None)

    def decide(
        self, count: int, load: Callable[[int], Message], resent: int, plan: Callable[[], int] = lambda: 0
    ) -> None:
        """Decide about all that was looked at, make the edits that are due, and render what they change.

        Messages from `resent` on may have come with other bytes. `plan` is asked, once all that could go is known,
        from which message on the edits are to be made.
        """
        self.view.look_at(load)
        self.made.clear()
        self.passed.clear()
        self._in_force.newly_cut.clear()
        try:
            if self._reminder is not None:
                self._reminder.retire(count - 1)
            self._decisions.wake()
            self._decisions.settle()
            self._flush(plan())
            if self._reminder is not None and count:
                self._reminder.remind(count - 1, *self.room)
                self._decisions.settle()
                self._flush(count)
            self._rendering.renew(resent)
        finally:
            self.view.look_at(None)

    def mark(self) -> None:
        """Ask what could go if the context ran short; not asked before there is need."""
        self._take(self._hearing.late())

    def press(self, depth: tuple[Standing, ...], *, returns: bool = False) -> None:
        """Let marked parts of these standings go; with `returns`, only as long as the context is short."""
        if depth:
            self.mark()
        self._candidates.dirty.update(self._marks.deepen(depth, returns=returns))
        self._decisions.settle()

    def waiting(self) -> list[tuple[int, int]]:
        """The messages with pending edits, oldest first, and the tokens that would go in each."""
        return self._pending.waiting()

    def hold(self, worth: Callable[[Proposal], bool]) -> None:
        """Keep out of the next flush what may be used again and is not worth that risk."""
        self._pending.hold(worth)

    def release(self) -> None:
        """Hold nothing back."""
        self._pending.release()

    def flushed(self, cut: int, sent: int) -> int:
        """The tokens that a flush from a message on takes from what was sent, with what was asked for."""
        held, urgent, place = self._pending.held, self.urgent, self._folds.place
        return sum(
            gain
            for ref, gain in self.pending.items()
            if ref.message < sent and ((place(ref) >= cut and ref not in held) or ref in urgent)
        )

    def asked_for(self) -> set[Ref]:
        """The parts whose pending edits were asked for, and those that point to them."""
        return self._pending.asked_for()

    def written(self, indices: Iterable[int] | None = None) -> dict[int, Written | None]:
        """Some messages as they are sent, or all that are not sent as they came."""
        return self._rendering.written(self.rendered if indices is None else indices)

    def ledger(self, before: Ledger, flushes: tuple[Flush, ...], commands: tuple[tuple[int, str], ...]) -> Ledger:
        """What is in force now; the ledger from before where nothing is new."""
        edits, tags = self._in_force.in_order(), before.tags
        if len(tags) != len(self.tags.placed):
            tags = tuple(self.tags.placed)
        if (edits, flushes, commands, tags) == (before.edits, before.flushes, before.commands, before.tags):
            return before
        return Ledger(edits, flushes, commands, tags)

    def edits(self) -> tuple[Proposal, ...]:
        """The edits in force, one for each part that is not as it came."""
        return self._in_force.edits()

    def newly_asked(self, target: Ref) -> bool:
        """Whether a part was whole before this request, and went because the agent or the user asked for that."""
        use = self.view.by_ref.get(target)
        return self._pending.newly_asked(target, (target,) if use is None else (use.call, use.result))

    def saved_of(self, ref: Ref) -> int:
        """The tokens that the edit in force takes from a part."""
        return self._in_force.saved_of(ref)

    def found_saved(self, ref: Ref) -> int:
        """The tokens that the edit that was found takes from a part, in force or not."""
        edit = self.found.get(ref)
        return 0 if edit is None else edit.saved

    @property
    def reminded(self) -> int:
        """The tokens of the reminder in the newest message, which is there where the request comes once more."""
        edit = self.found.get(self._reminder.said) if self._reminder and self._reminder.said else None
        return -edit.saved if edit is not None and isinstance(edit.replacement, Added) else 0

    def allows(self, edit: Proposal) -> bool:
        """Whether every guard would let an edit through now."""
        return self._decisions.allows(edit)

    def _hear(self, event: Use | Piece) -> None:
        if isinstance(event, Piece):
            self.tags.name(event)
            if self._reminder is not None:
                self._reminder.hear(event)
            self._take(self._hearing.piece(event))
            if self.asked is not None:
                self.manual = self.asked.manual(event, self.view, self.manual)
            return
        self.view.admit(event)
        if tokens := self.tags.tag(event):
            self._in_force.lengthen(event.result.message, tokens)
        if self._protected is not None and self._protected.inert(event):
            self.view.inert.add(event.index)
        if self._acknowledging is None:
            self._take(self._hearing.use(event))
            return
        found = self._acknowledging.choices(event)
        whole = self._acknowledging.whole(found)
        self._take(self._hearing.use(event))
        if found:
            self._take(self._acknowledging.answer(event, found, whole))

    def _take(self, moves: Iterable[Move]) -> None:
        for move in moves:
            self._candidates.take(move)

    def _obey(self, commands: Sequence[tuple[int, str]]) -> None:
        """Carry out the commands that were given when there were as many messages as were looked at so far."""
        while self._obeyed < len(commands) and commands[self._obeyed][0] <= len(self.view.turns):
            command = read_command(f"/prunus {commands[self._obeyed][1]}")
            self._obeyed += 1
            if self.asked is not None and command is not None:
                self._take(wishes(command, len(self.view.turns), self.view, self.asked))
                self.manual = command.switched(self.manual)

    def _flush(self, cut: int) -> None:
        self._pending.flush(cut)
