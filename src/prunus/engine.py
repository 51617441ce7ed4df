"""The edits of one conversation, kept up to date as it grows.

Each message is looked at once. What it brings is told to the strategies in order; what they propose becomes a
candidate for its part. A part is decided anew only when something about it changed: a new candidate, an age that
was waited for, a pointer that lost what it showed. So a request costs what is new in it, and a history seen at
once ends in the same edits as one seen message by message.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from prunus.apply import change
from prunus.edits import STAGES, Added, Edit, Gone, Input, Keep, Later, Note, Refusal, Shorter
from prunus.files import Timeline
from prunus.formats import as_json, write
from prunus.guards import Guard, Hold
from prunus.guards.protected_tools import ProtectedTools
from prunus.history import Attachment, Call, Message, Opaque, Part, Ref, Result, Thinking
from prunus.invariants import Change, check
from prunus.notes import reminder_note
from prunus.policy.priorities import Priority, priority, priority_of
from prunus.policy.reminders import Reminding, place_for
from prunus.policy.sums import Sums
from prunus.policy.tags import Tags
from prunus.strategies import AfterEdit, OnFile, OnPiece, OnUse, Strategy
from prunus.strategies.asked import Asked
from prunus.strategies.command import read_command
from prunus.strategies.under_pressure import UnderPressure
from prunus.strategies.wishes import wishes
from prunus.tokens import Counter
from prunus.tools import Toolbox
from prunus.view import Piece, Use, View, weigh

__all__ = ["Engine", "Tally"]


class Tally(NamedTuple):
    """How many edits there are, and the tokens they save."""

    count: int = 0  # type: ignore[assignment]  # a tuple's own count() is of no use here
    tokens: int = 0

    def add(self, count: int, tokens: int) -> Tally:
        return Tally(self.count + count, self.tokens + tokens)


_REMINDERS = "reminders"


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
        own_ids: bool = True,
        reminders: Reminding | None = None,
    ) -> None:
        self.format = format
        self.view = View(toolbox, counter)
        self.guards = tuple(guards)
        self.protected = next((guard for guard in guards if isinstance(guard, ProtectedTools)), None)
        on_use = [s for s in strategies if isinstance(s, OnUse)]
        self.on_use = tuple(s for s in on_use if not isinstance(s, UnderPressure))
        self.on_pressure = tuple(s for s in on_use if isinstance(s, UnderPressure))
        self.on_piece = tuple(s for s in strategies if isinstance(s, OnPiece))
        self.after_edit = tuple(s for s in strategies if isinstance(s, AfterEdit))
        self.on_file = tuple(s for s in strategies if isinstance(s, OnFile))
        self.timeline = Timeline() if self.on_file else None
        self._past: dict[str, dict[str, object]] = {strategy.name: {} for strategy in self.on_file}
        self._spared_by: dict[Ref, Ref] = {}
        """Parts that may go because a view that was found shows what is still true of them, and where it stands."""
        self._folding: set[Ref] = set()
        """Pending edits of folds, each of which is made as a whole."""
        self._heads: dict[Ref, int] | None = None
        """The first message of each fold with pending edits, by the part that its view stands behind."""
        self._queue: list[tuple[int, int]] = []
        self.rank = {strategy.name: STAGES * i for i, strategy in enumerate(strategies, 1)}
        self.candidates: dict[Ref, dict[int, Edit]] = {}
        self.found: dict[Ref, Edit] = {}
        """The edit that each part would get now."""
        self.chosen: dict[Ref, Edit] = {}
        """The edits in force."""
        self.pending: dict[Ref, int] = {}
        """Parts for which the two differ, and the tokens that a flush would save there."""
        self._gains: dict[int, tuple[int, int]] = {}
        self._waiting: list[int] = []
        self.sizes = Sums()
        """The tokens of each message as it stands."""
        self.carried = 0
        """The tokens of the request before each turn, as it came, all turns together."""
        self.refused: dict[Ref, tuple[Refusal, ...]] = {}
        self.rendered: dict[int, bytes] = {}
        self.rendered_size = 0
        self.edited: list[int] = []
        """The messages with edits, in order."""
        self.changed: tuple[int, ...] = ()
        """The messages whose edits are other than in the request before."""
        self.made: list[Edit] = []
        """The edits that were put in force in this request."""
        self.ids = self.view.ids
        self.names = self.view.names
        self.asked = next((strategy for strategy in strategies if isinstance(strategy, Asked)), None)
        self.manual = False
        """The user has switched off cutting by itself."""
        self.kept: set[Ref] = set()
        """Parts that were restored, and are not cut again unless that is asked for."""
        self.urgent: set[Ref] = set()
        """Pending edits that were asked for."""
        self._wanted: set[Ref] = set()
        """Parts that are to go at once for a reason that a strategy gives."""
        self.reminders = reminders
        self.room: tuple[int, int] = (0, 0)
        """The tokens around the messages, and those that the model can take, for reminders."""
        self._called: int | None = None
        """The turn in which the user asked for reflection."""
        self._reminded: Ref | None = None
        self.rank[_REMINDERS] = STAGES * (len(self.rank) + 1)
        self.tags = Tags(self.view, self.asked, shown=tags, own=own_ids)
        self.depth: tuple[Priority, ...] = ()
        """The priorities of what may go of the parts that are marked for times of pressure."""
        self._marked: set[Ref] = set()
        """Parts with such marks."""
        self._heard_late = 0
        self.saved = 0
        self.by_strategy: dict[str, Tally] = {}
        self.by_category: dict[str, Tally] = {}
        self._cut_parts: dict[int, int] = {}
        self._groups: dict[tuple[str, Hashable], list[Use]] = {}
        self._dirty: set[Ref] = set()
        self._stale: set[int] = set()
        self._at_turn: dict[int, set[Ref]] = {}
        self._at_loop: dict[int, set[Ref]] = {}
        self._at_use: dict[int, set[Ref]] = {}
        self._asked_at = (0, 0, 0)
        self._rests_on: dict[Ref, set[Ref]] = {}
        """Parts whose edits depend on what happens to another part."""

    def advance(
        self,
        count: int,
        load: Callable[[int], Message],
        resent: int,
        plan: Callable[[], int] = lambda: 0,
        adopted: Iterable[Edit] = (),
        asks: Iterable[str] = (),
    ) -> None:
        """Take in the messages up to `count`; those from `resent` on may have come with other bytes.

        `plan` is asked, once all that could go is known, from which message on the edits are to be made. Adopted
        edits are in force already: another process, or the conversation that this one left, had made them. `asks`
        are commands of the user that are not in the history, such as `sweep 5`.
        """
        view = self.view
        view.look_at(load)
        self.made.clear()
        try:
            for index in range(len(view.turns), count):
                before, turn = view.tokens, view.turn
                events = view.extend(load(index))
                self.sizes.append(view.tokens - before)
                self.carried += before * (view.turn - turn)
                for event in events:
                    self._hear(event)
            for edit in adopted:
                self._force(edit.target, edit)
                self._compare(edit.target)
                if edit.asked and not edit.fresh and edit.by is None and edit.strategy in self.rank:
                    self.candidates.setdefault(edit.target, {}).setdefault(self.rank[edit.strategy], edit)
                    self._dirty.add(edit.target)
            if any(edit.pressure for edit in self.made):
                # What was cut under pressure stays cut, so it has to be known what that was.
                self.mark()
            self.made.clear()
            for words in asks:
                self._obey(words)
            if self.reminders is not None and count:
                self._remind(count - 1, self.reminders)
            self._wake()
            while self._dirty:
                self._decide(self._dirty.pop())
            self._flush(plan())
            at = bisect_left(self.edited, resent)
            self._stale.update(self.edited[at:])
            self.changed = tuple(sorted(self._stale))
            self._stale.clear()
            for index in self.changed:
                self._render(index)
        finally:
            view.look_at(None)

    def _flush(self, cut: int) -> None:
        """Make the pending edits from a message on; what a pointer outside still shows stays as it is."""
        pointers: list[Ref] = []
        folded: list[Ref] = []
        urgent = self.asked_for()
        for target in [target for target in self.pending if self.place(target) >= cut or target in urgent]:
            edit, old = self.found.get(target), self.chosen.get(target)
            if edit is not None and edit.shows is not None:
                pointers.append(target)
                continue
            if (edit is not None and edit.bound) or (old is not None and old.spares):
                folded.append(target)
                continue
            others = self._rests_on.get(target, ())
            showing = (self.chosen.get(ref) for ref in others if ref.message < cut and ref not in urgent)
            if not any(pointer is not None and pointer.shows == target for pointer in showing):
                self._force(target, edit)
                self._compare(target)
        for target in pointers:
            if self.found[target].shows not in self.chosen:
                self._force(target, self.found[target])
                self._compare(target)
        for target in folded:
            edit, old = self.found.get(target), self.chosen.get(target)
            if edit is not None and edit.bound and not self._viewed(target):
                continue
            if old is None or all(self._viewed(ref) or not self._folded(ref) for ref in old.spares):
                self._force(target, edit)
                self._compare(target)

    def _folded(self, ref: Ref) -> bool:
        """Whether a part has gone because a view shows what is still true of it."""
        edit = self.chosen.get(ref)
        return edit is not None and edit.bound

    def _viewed(self, ref: Ref) -> bool:
        """Whether the view that was found for a part is in force."""
        view = self.chosen.get(self._spared_by[ref]) if ref in self._spared_by else None
        return view is not None and ref in view.spares

    def _force(self, target: Ref, edit: Edit | None) -> None:
        """An edit is in force from now on, or none is."""
        old = self.chosen.pop(target, None)
        for changed, sign in ((old, -1), (edit, 1)):
            if changed is not None:
                self._count(changed, sign)
                self.sizes.add(target.message, -sign * changed.saved)
        if edit is not None:
            self.chosen[target] = edit
            if not isinstance(edit.replacement, Added):
                self.made.append(edit)
        self._stale.add(target.message)

    def _compare(self, target: Ref) -> None:
        """See whether what was found for a part is in force."""
        found, chosen = self.found.get(target), self.chosen.get(target)
        before = self.pending.pop(target, None)
        after = None if found == chosen else (found.saved if found else 0) - (chosen.saved if chosen else 0)
        if after is not None:
            self.pending[target] = after
        if after is not None and any(edit is not None and (edit.bound or edit.spares) for edit in (found, chosen)):
            self._folding.add(target)
        else:
            self._folding.discard(target)
        self._heads = None
        own = target in self.kept or target in self._wanted or (found is not None and found.asked)
        if after is not None and own:
            self.urgent.add(target)
        else:
            self.urgent.discard(target)
        message = target.message
        tokens, parts = self._gains.get(message, (0, 0))
        parts += (after is not None) - (before is not None)
        if message not in self._gains and parts:
            insort(self._waiting, message)
        elif message in self._gains and not parts:
            del self._gains[message], self._waiting[bisect_left(self._waiting, message)]
        if parts:
            self._gains[message] = tokens + (after or 0) - (before or 0), parts

    def saved_of(self, ref: Ref) -> int:
        """The tokens that the edit in force takes from a part."""
        edit = self.chosen.get(ref)
        return 0 if edit is None else edit.saved

    def mark(self) -> None:
        """Ask what could go if the context ran short; not asked before there is need."""
        for use in self.view.uses[self._heard_late :]:
            self._tell(self.on_pressure, use)
        self._heard_late = len(self.view.uses)

    def press(self, depth: tuple[Priority, ...]) -> None:
        """Let parts of these priorities go that are marked for times when the context runs short."""
        if depth:
            self.mark()
        if depth != self.depth:
            self._dirty |= {ref for ref in self._marked if not self._gone_for_good(ref)}
        self.depth = depth
        while self._dirty:
            self._decide(self._dirty.pop())

    def _yields(self, edit: Edit) -> bool:
        """Whether a part that is marked goes: its priority is low enough, or it is gone already."""
        if self.chosen.get(edit.target) == edit:
            return True
        if not self.depth:
            return False
        use = self.view.by_ref.get(edit.target)
        if use is None:
            message = self.view.message(edit.target.message)
            return priority(edit.target, message, self.view, superseded=False) in self.depth
        return priority_of(use, self.view) in self.depth

    def _gone_for_good(self, ref: Ref) -> bool:
        """Whether a part went under pressure; it does not come back when there is room again."""
        edit = self.chosen.get(ref)
        return edit is not None and edit.pressure

    def asked_for(self) -> set[Ref]:
        """The parts whose pending edits were asked for, and those that point to them."""
        return {ref for target in self.urgent for ref in (target, *self._rests_on.get(target, ()))} & (
            self.pending.keys()
        )

    def waiting(self) -> list[tuple[int, int]]:
        """The messages with pending edits, oldest first, and the tokens that would go in each."""
        if not self._folding:
            return [(message, self._gains[message][0]) for message in self._waiting]
        if self._heads is not None and self._queue:
            return self._queue
        gains = dict(self._gains)
        for ref in self._folding:
            gain = self.pending[ref]
            for message, sign in ((ref.message, -1), (self.place(ref), 1)):
                tokens, parts = gains.get(message, (0, 0))
                gains[message] = tokens + sign * gain, parts + sign
        self._queue = sorted((message, tokens) for message, (tokens, parts) in gains.items() if parts)
        return self._queue

    def place(self, ref: Ref) -> int:
        """The message from which on a cut has to be for a pending edit to be made."""
        if ref not in self._folding:
            return ref.message
        if self._heads is None:
            self._heads, self._queue = {}, []
            for one in self._folding:
                holder = self._spared_by.get(one, one)
                self._heads[holder] = min(one.message, self._heads.get(holder, one.message))
        return self._heads[self._spared_by.get(ref, ref)]

    def _hear(self, event: Use | Piece) -> None:
        if self.timeline is not None and isinstance(event, Piece):
            self.timeline.take(event, self.view)
        if isinstance(event, Piece):
            self.tags.name(event)
            if self.reminders is not None and self._called is None and self.reminders.called(event):
                self._called = event.turn
            for piece_strategy in self.on_piece:
                for edit in piece_strategy.inspect(event, self.view):
                    self._take(edit)
            if self.asked is not None:
                self.manual = self.asked.manual(event, self.view, self.manual)
            return
        self.view.admit(event)
        tokens = self.tags.tag(event)
        if tokens:
            self.sizes.add(event.result.message, tokens)
            self._stale.add(event.result.message)
        if self.protected is not None and self.protected.inert(event):
            self.view.inert.add(event.index)
        self._tell(self.on_use, event)
        if self.timeline is not None:
            self.timeline.take(event, self.view)
            for strategy in self.on_file:
                for edit in strategy.fold(event, self.timeline, self._past[strategy.name], self.view):
                    self._take(edit)

    def _tell(self, strategies: Iterable[OnUse], use: Use) -> None:
        for strategy in strategies:
            for group in strategy.groups(use):
                members = self._groups.setdefault((strategy.name, group), [])
                for edit in strategy.propose(use, members, group, self.view):
                    self._take(edit)
                members.append(use)

    def _obey(self, words: str) -> None:
        """Carry out a command of the user that came from outside."""
        command = read_command(f"/prunus {words}")
        if self.asked is None or command is None:
            return
        for edit in wishes(command, len(self.view.turns), self.view, self.asked):
            self._take(edit)
        self.manual = command.switched(self.manual)

    def _remind(self, newest: int, reminders: Reminding) -> None:
        """Say at the end of the newest message what is due; what was said before may go with the next flush."""
        if self._reminded is not None and self._reminded.message != newest:
            self.candidates[self._reminded].pop(self.rank[_REMINDERS], None)
            self._dirty.add(self._reminded)
            self._reminded = None
        message = self.view.message(newest)
        if self._reminded is not None or message.role == "assistant":
            return
        around, window = self.room
        start = next((i for i in range(newest, 0, -1) if self.view.turns[i - 1] < self.view.turn), 0)
        shares = [(around + self.sizes.before(i)) / window if window else 0.0 for i in (start, newest + 1)]
        words = reminders.words(self.view, self._called, *shares)
        part = place_for(message) if words else None
        if part is not None:
            self._reminded = Ref(newest, part)
            text = Added(reminder_note(words))
            self._take(Edit(self._reminded, text, _REMINDERS, "a reminder is due", fresh=True, asked=True))

    def _take(self, edit: Edit) -> None:
        """An edit becomes a candidate for its part."""
        rank = self.rank[edit.strategy] - edit.stage
        options = self.candidates.setdefault(edit.target, {})
        self._dirty.add(edit.target)
        if isinstance(edit.replacement, Keep):
            options.pop(rank, None)
            if edit.asked:
                self.kept.add(edit.target)
            return
        if edit.asked:
            self.kept.discard(edit.target)
        held = options.get(rank)
        if isinstance(edit.replacement, Later):
            if held is not None and (held.ripe > self.view.turn or held.loop > self.view.loop):
                options[rank] = replace(held, ripe=edit.ripe)
            return
        part = self.view.part(edit.target)
        if edit.pressure:
            self._marked.add(edit.target)
        options[rank] = self._weigh(edit, part)
        if held is not None and held.shows is not None:
            self._dirty.add(held.shows)
        if edit.shows is not None:
            self._rests_on.setdefault(edit.shows, set()).add(edit.target)
        if isinstance(part, Attachment) and part.inside is not None:
            self._rests_on.setdefault(Ref(edit.target.message, part.inside), set()).add(edit.target)
        for strategy in self.after_edit:
            for more in strategy.follow(edit, self.view):
                self._take(more)

    def _weigh(self, edit: Edit, part: Part) -> Edit:
        counter = self.view.counter
        use = self.view.by_ref.get(edit.target)
        if use is None:
            before = weigh(part, counter)
        else:
            before = use.input_tokens if isinstance(part, Call) else use.tokens
        match edit.replacement:
            case Note(text) | Shorter(text):
                after = counter.count(text)
                if isinstance(part, Result) and isinstance(edit.replacement, Note):
                    before += sum(weigh(inner, counter) for inner in self._carried(edit.target))
            case Input(value):
                after = counter.count(use.tool if use else "") + counter.count(as_json(value))
            case Added(text):
                after = before + counter.count(text)
            case Gone() | Keep() | Later():
                after = 0
        return replace(edit, tokens_before=before, tokens_after=after)

    def _carried(self, result: Ref) -> list[Part]:
        parts = self.view.message(result.message).parts
        return [p for p in parts if isinstance(p, Attachment | Opaque) and p.inside == result.part]

    def _wake(self) -> None:
        """Ask again what was waiting for this turn, this loop or this call."""
        now = self.view.turn, self.view.loop, len(self.view.uses)
        for waiting, last, current in zip(
            (self._at_turn, self._at_loop, self._at_use), self._asked_at, now, strict=True
        ):
            for at in range(last + 1, current + 1):
                self._dirty |= waiting.pop(at, set())
        self._asked_at = now

    def _decide(self, target: Ref) -> None:
        """Choose the first candidate that is ripe and that no guard holds back."""
        refusals: list[Refusal] = []
        choice: Edit | None = None
        wanted = False
        options = self.candidates.get(target, {})
        for rank in () if target in self.kept else sorted(options):
            edit = options[rank]
            if edit.pressure and not self._yields(edit):
                continue
            if edit.ripe > self.view.turn:
                self._at_turn.setdefault(edit.ripe, set()).add(target)
                continue
            if edit.loop > self.view.loop:
                self._at_loop.setdefault(edit.loop, set()).add(target)
                continue
            refusal = self._refusal(edit)
            if refusal is not None:
                refusals.append(refusal)
            elif choice is None and edit.asked and edit.spends:
                # The note of a strategy, if there is one, says more than that it was discarded.
                choice, wanted = edit, True
            elif choice is None or isinstance(edit.replacement, Note):
                choice = edit
                break
        if refusals:
            self.refused[target] = tuple(refusals)
        else:
            self.refused.pop(target, None)
        if wanted:
            self._wanted.add(target)
        else:
            self._wanted.discard(target)
        if choice != self.found.get(target):
            self._choose(target, choice)
        elif wanted or target in self.kept:
            self._compare(target)

    def _refusal(self, edit: Edit) -> Refusal | None:
        if edit.asked and edit.fresh:
            return None
        if edit.shows is not None and edit.shows in self.found:
            return Refusal(edit, "visible_pointers", "what it would point to is not shown in full any more")
        if edit.by is not None and self._points_back(edit.by, edit.target):
            return Refusal(edit, "visible_pointers", "what would replace it only points back to it")
        if edit.bound and edit.target not in self._spared_by:
            return Refusal(edit, "visible_lines", "no view shows its lines")
        if edit.spares and edit.target in self._spared_by:
            return Refusal(edit, "visible_lines", "a newer view shows its lines")
        if self._covered(edit.target):
            return Refusal(edit, "whole_results", "the result that carries it goes as a whole")
        for guard in self.guards:
            held: Hold | None = guard.hold(edit, self.view)
            if held is not None:
                if held.turn is not None:
                    self._at_turn.setdefault(held.turn, set()).add(edit.target)
                elif held.loop is not None:
                    self._at_loop.setdefault(held.loop, set()).add(edit.target)
                elif held.uses is not None:
                    self._at_use.setdefault(held.uses, set()).add(edit.target)
                return Refusal(edit, guard.name, held.reason, held.turn)
        if edit.spares and not self._pays(edit):
            return Refusal(edit, "minimum_gain", "what may go because of it saves less than it adds")
        return None

    def _pays(self, view: Edit) -> bool:
        """Whether the parts that may go because of a view make up for it."""
        drops = (edit for ref in view.spares for edit in self.candidates.get(ref, {}).values() if edit.bound)
        made = (edit for edit in drops if self.found.get(edit.target) == edit or not self._held(edit))
        return view.saved + sum(edit.saved for edit in made) > 0

    def _held(self, edit: Edit) -> bool:
        return any(guard.hold(edit, self.view) is not None for guard in self.guards)

    def _points_back(self, call: Ref, target: Ref) -> bool:
        """Whether the answer of a call is to point to a part instead of showing it again."""
        options = self.candidates.get(self.view.by_ref[call].result, {}) if call in self.view.by_ref else {}
        return any(edit.fresh and edit.shows == target for edit in options.values())

    def allows(self, edit: Edit) -> bool:
        """Whether every guard would let an edit through now."""
        weighed = self._weigh(edit, self.view.part(edit.target))
        return all(guard.hold(weighed, self.view) is None for guard in self.guards)

    def _covered(self, target: Ref) -> bool:
        if target in self.view.by_ref:
            return False
        part = self.view.part(target)
        if not isinstance(part, Attachment) or part.inside is None:
            return False
        owner = self.found.get(Ref(target.message, part.inside))
        return owner is not None and isinstance(owner.replacement, Note)

    def _choose(self, target: Ref, choice: Edit | None) -> None:
        old = self.found.pop(target, None)
        if choice is not None:
            self.found[target] = choice
        self._spare(target, old.spares if old else frozenset(), choice.spares if choice else frozenset())
        self._compare(target)
        self._dirty |= self._rests_on.get(target, set())

    def _spare(self, target: Ref, before: frozenset[Ref], after: frozenset[Ref]) -> None:
        """Another view stands behind a part, or none: what it stands for may go, or has to come back."""
        self._heads = None
        for ref in before - after:
            if self._spared_by.get(ref) == target:
                del self._spared_by[ref]
                self._dirty.add(ref)
        for ref in after:
            if self._spared_by.get(ref) is None:
                self._dirty.add(ref)
            elif self._spared_by[ref] > target:
                continue
            self._spared_by[ref] = target

    def _count(self, edit: Edit, sign: int) -> None:
        if isinstance(edit.replacement, Added):
            self.saved += sign * edit.saved
            return
        use = self.view.by_ref.get(edit.target)
        thought = edit.strategy == "old_thinking" or (
            edit.asked and isinstance(self.view.part(edit.target), Thinking)
        )
        category = "tools" if use else "thinking" if thought else "messages"
        items = sign
        if use is not None:
            # A call whose input and result both go is one tool that was pruned.
            held = self._cut_parts.get(use.index, 0)
            self._cut_parts[use.index] = held + sign
            items = sign if held + min(sign, 0) == 0 else 0
        self.saved += sign * edit.saved
        for table, key, count in (
            (self.by_strategy, edit.strategy, sign),
            (self.by_category, category, items),
        ):
            table[key] = table.get(key, Tally()).add(count, sign * edit.saved)

    def _render(self, index: int) -> None:
        """Carry out the edits of one message, and see that its provider will take it."""
        before = self.view.message(index)
        edits = {
            part: self.tags.dress(ref, edit.replacement if (edit := self.chosen.get(ref)) else None)
            for part in range(len(before.parts))
            if (ref := Ref(index, part)) in self.chosen or self.tags.missing(ref)
        }
        if not edits:
            if index in self.rendered:
                self.rendered_size -= len(self.rendered.pop(index))
                self.edited.remove(index)
            return
        after = change(before, edits)
        more = after is None and index + 1 < len(self.view.turns)
        following = self.view.message(index + 1) if more else None
        open_loop = self.view.loops[index] >= self.view.loop
        own = all(e.asked and e.fresh for p in edits if (e := self.chosen.get(Ref(index, p))) is not None)
        check(Change(self.format, before, after, following, open_loop, own))
        if index in self.rendered:
            self.rendered_size -= len(self.rendered[index])
        else:
            insort(self.edited, index)
        self.rendered[index] = write(before, edits)
        self.rendered_size += len(self.rendered[index])
