"""The edits of one conversation, kept up to date as it grows.

    look    the view reads each new message once; strategies answer its events with moves (`dispatch`)
    settle  every part about which something has changed is decided again (`board`, `decide`)
    offers  what could go now, and what more could go under pressure; a schedule chooses from that
    make    the chosen edits are made (`flush`, `made`), and a reminder is added if one is due
    render  only then the bytes of the touched messages change (`render`)

So a request costs as much as is new in it, and a history that is seen at once ends in the same edits as one that is
seen message by message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic

from prunus.calls.toolbox import Toolbox
from prunus.edits import Proposal
from prunus.engine.answering import Answering
from prunus.engine.board import Board
from prunus.engine.cell import Pressed
from prunus.engine.decide import Rules
from prunus.engine.dispatch import Dispatch
from prunus.engine.flush import Pending
from prunus.engine.made import Made
from prunus.engine.reminder import Reminder
from prunus.engine.render import Rendering
from prunus.engine.tags import Tags
from prunus.guards.guard import Guard, Mutes
from prunus.history import MessageAt, Ref
from prunus.notes import Words
from prunus.requested.commands import carry_out, read_command
from prunus.reuse.asked_again import Ask, Showings
from prunus.schedule.ledger import Flush, Ledger
from prunus.schedule.pressure import Pressure
from prunus.schedule.priorities import Standing
from prunus.schedule.reminders import Reminders
from prunus.strategies.strategy import Strategy, TakesRequests, of_kind
from prunus.tally import Notification
from prunus.tokens import Counter
from prunus.view.uses import Piece, Use
from prunus.view.view import View


class Engine:
    """Finds, decides, makes and renders the edits of one conversation."""

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
        offsets: Mapping[str, float] | None = None,
        reminders: Reminders | None = None,
        pressure: Pressure | None = None,
        notification: Notification = "minimal",
    ) -> None:
        self.view = view = View(toolbox, counter, declared=declared, words=words, offsets=offsets)
        self.requests = next(iter(of_kind(strategies, TakesRequests)), None)
        """The strategy that carries out the requests of the agent and the user; None if there is none."""
        self.manual = False
        """The user has switched off automatic pruning."""
        self.board = Board(view, strategies)
        self.made = Made(self.board, view)
        self.pending = Pending(self.board, self.made)
        self.tags = Tags(view, self.requests, shown=tags, own=own_ids)
        self.rendering = Rendering(format, view, self.board, self.made, self.tags)
        self._rules = Rules(self.board, guards, view)
        self._showings = Showings()
        self.dispatch = Dispatch(view, strategies)
        self._mutes = of_kind(guards, Mutes)
        self._obeyed = 0
        """The number of commands from outside of the history that were carried out."""
        self._answering = None
        if self.requests is not None:
            self._answering = Answering(self.requests, view, self.board, self._rules, notification)
        self._reminder = None
        if reminders is not None:
            self._reminder = Reminder(reminders, view, self.board, self.made.sizes, pressure or Pressure())

    @contextmanager
    def at(self, load: MessageAt) -> Iterator[None]:
        """Read messages from this request while the block runs."""
        self.view.look_at(load)
        try:
            yield
        finally:
            self.view.look_at(None)

    def look(
        self,
        count: int,
        load: MessageAt,
        commands: Sequence[tuple[int, str]] = (),
        until: float | None = None,
    ) -> bool:
        """Show the messages up to `count` to the strategies; False if the time was over before the last one.

        `commands` are all commands that the user ever gave outside of the history, such as `sweep 5`, each with the
        number of messages at that time. `until` is a time of the monotonic clock.
        """
        view = self.view
        with self.at(load):
            for index in range(len(view.turns), count):
                if until is not None and monotonic() > until:
                    return False
                self._obey(commands)
                before, colours = view.tokens, view.colours
                events = view.extend(load(index))
                if view.colours is not colours and view.colours != colours:
                    # The todo list names other parts that have to stay.
                    self.board.touch_all()
                self.made.sizes.append(view.tokens - before)
                for event in events:
                    self._hear(event)
            self._obey(commands)
        return True

    def take_over(self, edits: Iterable[Proposal], load: MessageAt) -> None:
        """Make exactly these edits, of messages that were looked at; another process or the parent made them."""
        with self.at(load):
            # Reasoning comes back where a loop that was over was undone and is open again.
            wanted = {edit.target: edit for edit in edits if not self.view.in_open_loop(edit.target)}
            for edit in self.made.in_order():
                if edit.target not in wanted:
                    self.pending.put(edit.target, None)
            for target, edit in wanted.items():
                if self.board.made(target) != edit:
                    self.pending.put(target, edit)
            if any(edit.when.under_pressure for edit in wanted.values()):
                # Parts that were cut under pressure stay cut, so their proposals have to be known.
                self.mark()

    def settle(self) -> None:
        """Decide again about every part that changed since the last request."""
        self.made.begin()
        if self._reminder is not None:
            self._reminder.retire(len(self.view.turns) - 1)
        self.board.touch_waiting()
        self._decide()

    def offers(self, depths: Iterable[tuple[Standing, ...]], *, returns: bool = False) -> Iterator[int]:
        """Let pressure reach deeper step by step, and yield after each step the tokens that pending edits save.

        With `returns`, parts that went under pressure come back as soon as the context has space again.
        """
        for depth in depths:
            if depth:
                self.mark()
            self.board.press(Pressed(depth, returns))
            self._decide()
            yield sum(gain for _, gain in self.pending.waiting())

    def make(self, cut: int, around: int, window: int) -> None:
        """Make the pending edits from message `cut` on, and all requested edits.

        For the reminder, `around` is the number of tokens outside the messages, and `window` the model's context
        window.
        """
        self.pending.flush(cut)
        count = len(self.view.turns)
        if self._reminder is not None and count:
            self._reminder.remind(count - 1, around, window)
            self._decide()
            self.pending.flush(count)

    def mark(self) -> None:
        """Run the strategies that propose edits only when the context runs short."""
        self.board.take(*self.dispatch.late())

    @property
    def depth(self) -> tuple[Standing, ...]:
        """The standings of marked parts that pressure removes."""
        return self.board.pressed.depth

    @property
    def tokens(self) -> int:
        """The tokens of all messages as they stand."""
        return self.made.sizes.before(len(self.made.sizes))

    @property
    def reminded(self) -> int:
        """The tokens of the reminder in the newest message; it has one already if the request is sent again."""
        return self._reminder.tokens if self._reminder is not None else 0

    def saved_of(self, ref: Ref) -> int:
        """The tokens that the edit of a part saves."""
        return 0 if (edit := self.board.made(ref)) is None else edit.saved

    def wanted_saved(self, ref: Ref) -> int:
        """The tokens that the wanted edit of a part saves, made or not."""
        edit = self.board.wanted(ref)
        return 0 if edit is None else edit.saved

    def ends_call(self, ref: Ref) -> bool:
        """Whether a strategy finds that the call of a part is not needed any more."""
        cell = self.board.get(ref)
        return cell is not None and cell.ends_call

    def allows(self, proposal: Proposal) -> bool:
        """Whether every guard would let a proposal through now."""
        return self._rules.allows(proposal)

    def asks(self, since: int) -> tuple[Ask, ...]:
        """Return the cut parts that calls ask for again, for results from message `since` on."""
        return tuple(self._showings.asks(self.view.uses, self.board.made, self.view.loops, since))

    def newly_requested(self, target: Ref) -> bool:
        """Whether this request cuts a whole part because the agent or the user requested it."""
        if target not in self.made.newly_cut:
            return False
        use = self.view.by_ref.get(target)
        cells = (self.board.get(ref) for ref in ((target,) if use is None else (use.call, use.result)))
        return any(
            cell.requested or (cell.made is not None and cell.made.when.requested_by is not None)
            for cell in cells
            if cell is not None
        )

    def ledger(self, before: Ledger, flushes: tuple[Flush, ...], commands: tuple[tuple[int, str], ...]) -> Ledger:
        """Return the ledger of the edits that are made now; the same object as before if nothing is new."""
        edits, tags = self.made.in_order(), before.tags
        if len(tags) != len(self.tags.placed):
            tags = tuple(self.tags.placed.values())
        if (edits, flushes, commands, tags) == (before.edits, before.flushes, before.commands, before.tags):
            return before
        return Ledger(edits, flushes, commands, tags)

    def _decide(self) -> None:
        """Decide until no changed part is left; `decide` says why that ends."""
        while (ref := self.board.next_touched()) is not None:
            decision = self._rules.decide(ref)
            cell = self.board[ref]
            self.board.judge(ref, decision)
            if decision.forgone is not None or cell.forgone is not None:
                self.made.forgo(ref, decision.forgone)
            changed = decision.wanted != cell.wanted
            if changed:
                self.board.want(ref, decision.wanted)
            if changed or cell.requested or cell.restored:
                self.pending.compare(ref)

    def _hear(self, event: Use | Piece) -> None:
        """Take in one event: name or tag its part, and put the moves of the strategies on the board."""
        if isinstance(event, Piece):
            self.tags.name(event)
            if self._reminder is not None:
                self._reminder.hear(event)
            self.board.take(*self.dispatch.piece(event))
            command = None if self.requests is None else self.requests.command(event, self.view)
            if command is not None:
                self.manual = command.manual_after(self.manual)
            return
        self.view.admit(event)
        self._showings.add(event)
        if tokens := self.tags.tag(event):
            self.made.lengthen(event.result.message, tokens)
        if any(guard.mutes(event) for guard in self._mutes):
            self.view.muted.add(event.index)
        found, whole = self._answering.choices(event) if self._answering is not None else ((), [])
        self.board.take(*self.dispatch.use(event))
        if self._answering is not None and found:
            self.board.take(*self._answering.answer(event, found, whole))

    def _obey(self, commands: Sequence[tuple[int, str]]) -> None:
        """Carry out the commands that were given when the history had as many messages as were looked at so far."""
        seen = len(self.view.turns)
        while self._obeyed < len(commands) and commands[self._obeyed][0] <= seen:
            command = read_command(f"/prunus {commands[self._obeyed][1]}")
            self._obeyed += 1
            if self.requests is not None and command is not None:
                self.board.take(*carry_out(command, seen, self.view, self.requests))
                self.manual = command.manual_after(self.manual)
