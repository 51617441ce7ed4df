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
from prunus.edits import Edit, Gone, Input, Keep, Later, Note, Refusal, Shorter
from prunus.formats import as_json, write
from prunus.guards import Guard, Hold
from prunus.guards.protected_tools import ProtectedTools
from prunus.history import Attachment, Call, Message, Opaque, Part, Ref, Result
from prunus.ids import short_id
from prunus.invariants import Change, check
from prunus.policy.sums import Sums
from prunus.strategies import AfterEdit, OnPiece, OnUse, Strategy
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


class Engine:
    """What could go in one conversation, what must stay, and the bytes that follow from it."""

    def __init__(
        self,
        format: str,
        strategies: Sequence[Strategy],
        guards: Sequence[Guard],
        toolbox: Toolbox,
        counter: Counter,
    ) -> None:
        self.format = format
        self.view = View(toolbox, counter)
        self.guards = tuple(guards)
        self.protected = next((guard for guard in guards if isinstance(guard, ProtectedTools)), None)
        self.on_use = tuple(s for s in strategies if isinstance(s, OnUse))
        self.on_piece = tuple(s for s in strategies if isinstance(s, OnPiece))
        self.after_edit = tuple(s for s in strategies if isinstance(s, AfterEdit))
        self.rank = {strategy.name: i for i, strategy in enumerate(strategies)}
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
        self.refused: dict[Ref, tuple[Refusal, ...]] = {}
        self.rendered: dict[int, bytes] = {}
        self.rendered_size = 0
        self.edited: list[int] = []
        """The messages with edits, in order."""
        self.changed: tuple[int, ...] = ()
        """The messages whose edits are other than in the request before."""
        self.made: list[Edit] = []
        """The edits that were put in force in this request."""
        self.ids: dict[str, Ref] = {}
        """The results by their short names."""
        self.names: dict[Ref, str] = {}
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
    ) -> None:
        """Take in the messages up to `count`; those from `resent` on may have come with other bytes.

        `plan` is asked, once all that could go is known, from which message on the edits are to be made. Adopted
        edits are in force already: another process, or the conversation that this one left, had made them.
        """
        view = self.view
        view.look_at(load)
        self.made.clear()
        try:
            for index in range(len(view.turns), count):
                before = view.tokens
                events = view.extend(load(index))
                self.sizes.append(view.tokens - before)
                for event in events:
                    self._hear(event)
            for edit in adopted:
                self._force(edit.target, edit)
                self._compare(edit.target)
            self.made.clear()
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
        for target in [target for target in self.pending if target.message >= cut]:
            edit = self.found.get(target)
            if edit is not None and edit.shows is not None:
                pointers.append(target)
                continue
            showing = (self.chosen.get(ref) for ref in self._rests_on.get(target, ()) if ref.message < cut)
            if not any(pointer is not None and pointer.shows == target for pointer in showing):
                self._force(target, edit)
                self._compare(target)
        for target in pointers:
            if self.found[target].shows not in self.chosen:
                self._force(target, self.found[target])
                self._compare(target)

    def _force(self, target: Ref, edit: Edit | None) -> None:
        """An edit is in force from now on, or none is."""
        old = self.chosen.pop(target, None)
        for changed, sign in ((old, -1), (edit, 1)):
            if changed is not None:
                self._count(changed, sign)
                self.sizes.add(target.message, -sign * changed.saved)
        if edit is not None:
            self.chosen[target] = edit
            self.made.append(edit)
        self._stale.add(target.message)

    def _compare(self, target: Ref) -> None:
        """See whether what was found for a part is in force."""
        found, chosen = self.found.get(target), self.chosen.get(target)
        before = self.pending.pop(target, None)
        after = None if found == chosen else (found.saved if found else 0) - (chosen.saved if chosen else 0)
        if after is not None:
            self.pending[target] = after
        message = target.message
        tokens, parts = self._gains.get(message, (0, 0))
        parts += (after is not None) - (before is not None)
        if message not in self._gains and parts:
            insort(self._waiting, message)
        elif message in self._gains and not parts:
            del self._gains[message], self._waiting[bisect_left(self._waiting, message)]
        if parts:
            self._gains[message] = tokens + (after or 0) - (before or 0), parts

    def waiting(self) -> list[tuple[int, int]]:
        """The messages with pending edits, oldest first, and the tokens that would go in each."""
        return [(message, self._gains[message][0]) for message in self._waiting]

    def _hear(self, event: Use | Piece) -> None:
        if isinstance(event, Piece):
            for piece_strategy in self.on_piece:
                for edit in piece_strategy.inspect(event, self.view):
                    self._take(edit)
            return
        self.view.admit(event)
        id = short_id(event.result, event.shown, self.ids)
        self.ids[id], self.names[event.result] = event.result, id
        if self.protected is not None and self.protected.inert(event):
            self.view.inert.add(event.index)
        for strategy in self.on_use:
            for group in strategy.groups(event):
                members = self._groups.setdefault((strategy.name, group), [])
                for edit in strategy.propose(event, members, group, self.view):
                    self._take(edit)
                members.append(event)

    def _take(self, edit: Edit) -> None:
        """An edit becomes a candidate for its part."""
        rank = self.rank[edit.strategy]
        options = self.candidates.setdefault(edit.target, {})
        self._dirty.add(edit.target)
        if isinstance(edit.replacement, Keep):
            options.pop(rank, None)
            return
        held = options.get(rank)
        if isinstance(edit.replacement, Later):
            if held is not None and held.ripe > self.view.turn:
                options[rank] = replace(held, ripe=edit.ripe)
            return
        part = self.view.part(edit.target)
        options[rank] = self._weigh(edit, part)
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
        options = self.candidates.get(target, {})
        for rank in sorted(options):
            edit = options[rank]
            if edit.pressure:
                continue
            if edit.ripe > self.view.turn:
                self._at_turn.setdefault(edit.ripe, set()).add(target)
                continue
            refusal = self._refusal(edit)
            if refusal is None:
                choice = edit
                break
            refusals.append(refusal)
        if refusals:
            self.refused[target] = tuple(refusals)
        else:
            self.refused.pop(target, None)
        if choice != self.found.get(target):
            self._choose(target, choice)

    def _refusal(self, edit: Edit) -> Refusal | None:
        if edit.shows is not None and edit.shows in self.found:
            return Refusal(edit, "visible_pointers", "what it would point to is not shown in full any more")
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
        return None

    def _covered(self, target: Ref) -> bool:
        if target in self.view.by_ref:
            return False
        part = self.view.part(target)
        if not isinstance(part, Attachment) or part.inside is None:
            return False
        owner = self.found.get(Ref(target.message, part.inside))
        return owner is not None and isinstance(owner.replacement, Note)

    def _choose(self, target: Ref, choice: Edit | None) -> None:
        self.found.pop(target, None)
        if choice is not None:
            self.found[target] = choice
        self._compare(target)
        self._dirty |= self._rests_on.get(target, set())

    def _count(self, edit: Edit, sign: int) -> None:
        use = self.view.by_ref.get(edit.target)
        category = "tools" if use else "thinking" if edit.strategy == "old_thinking" else "messages"
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
            part: self.chosen[ref].replacement
            for part in range(len(before.parts))
            if (ref := Ref(index, part)) in self.chosen
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
        check(Change(self.format, before, after, following, open_loop))
        if index in self.rendered:
            self.rendered_size -= len(self.rendered[index])
        else:
            insort(self.edited, index)
        self.rendered[index] = write(before, edits)
        self.rendered_size += len(self.rendered[index])
