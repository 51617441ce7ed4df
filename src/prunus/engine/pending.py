"""What was found and is not in force yet, and how it comes into force."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator

from prunus.edits import Proposal
from prunus.engine.candidates import Candidates
from prunus.engine.folds import Folds, needs_view
from prunus.engine.in_force import InForce
from prunus.history import Ref

__all__ = ["Pending"]


class Pending:
    """The difference between the edits that were found and those in force."""

    def __init__(self, candidates: Candidates, in_force: InForce, folds: Folds) -> None:
        self._kept = candidates.kept
        self._rests_on = candidates.rests_on
        self._in_force = in_force
        self._chosen = in_force.chosen
        self._folds = folds
        self.found: dict[Ref, Proposal] = {}
        """The edit that each part would get now."""
        self.gains: dict[Ref, int] = {}
        """Parts for which another edit was found than is in force, and the tokens that a flush would save there."""
        self.wanted: set[Ref] = set()
        """Parts that are to go at once for a reason that a strategy gives."""
        self.held: set[Ref] = set()
        """Pending edits that are not worth the risk for now."""
        self.urgent: set[Ref] = set()
        """Pending edits that were asked for."""
        self._by_message: dict[int, tuple[int, int]] = {}
        """What would go in each message, and of how many parts."""
        self._messages: list[int] = []

    def compare(self, target: Ref) -> None:
        """See whether what was found for a part is in force."""
        found, chosen = self.found.get(target), self._chosen.get(target)
        self.held.discard(target)
        before = self.gains.pop(target, None)
        after = None if found == chosen else (found.saved if found else 0) - (chosen.saved if chosen else 0)
        if after is not None:
            self.gains[target] = after
        self._folds.follow(target, after is not None, found, chosen)
        own = target in self._kept or target in self.wanted or (found is not None and found.when.requested_by)
        if after is not None and own:
            self.urgent.add(target)
        else:
            self.urgent.discard(target)
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

    def hold(self, worth: Callable[[Proposal], bool]) -> None:
        """Keep out of the next flush what may be used again and is not worth that risk."""
        own = ((ref, self.found.get(ref)) for ref in self.gains if ref not in self._folds.pending)
        held = {ref for ref, edit in own if edit is not None and edit.reuse and not worth(edit)}
        if held != self.held:
            self.held = held
            self._folds.recount()

    def release(self) -> None:
        """Hold nothing back."""
        if self.held:
            self.held = set()
            self._folds.recount()

    def waiting(self) -> list[tuple[int, int]]:
        """The messages with pending edits, oldest first, and the tokens that would go in each."""
        gains = self._by_message
        if self.held:
            gains = dict(gains)
            for ref in self.held:
                tokens, parts = gains[ref.message]
                gains[ref.message] = tokens - self.gains[ref], parts - 1
        if not self._folds.pending:
            return [(message, gains[message][0]) for message in self._messages if gains[message][1]]
        return self._folds.moved(gains, self.gains)

    def asked_for(self) -> set[Ref]:
        """The parts whose pending edits were asked for, those that point to them, and what a view stood for."""
        return {ref for target in self.urgent for ref in (target, *self._along(target))} & self.gains.keys()

    def newly_asked(self, target: Ref, item: tuple[Ref, ...]) -> bool:
        """Whether a part was whole before this request, and it was asked for that a part of its call goes."""
        return target in self._in_force.newly_cut and any(
            part in self.wanted or (part in self._chosen and self._chosen[part].when.requested_by) for part in item
        )

    def _along(self, target: Ref) -> Iterator[Ref]:
        """What may have to change along with a part."""
        yield from self._rests_on.get(target, ())
        if target in self._chosen:
            yield from self._chosen[target].covers

    def put(self, target: Ref, edit: Proposal | None) -> None:
        """Put an edit in force."""
        self._in_force.force(target, edit)
        self.compare(target)

    def flush(self, cut: int) -> None:
        """Make the pending edits from a message on; what a pointer outside still shows stays as it is."""
        waiting: list[Ref] = []
        urgent, place = self.asked_for(), self._folds.place
        due = (ref for ref in self.gains if (place(ref) >= cut and ref not in self.held) or ref in urgent)
        for target in list(due):
            edit = self.found.get(target)
            if (edit is not None and edit.points_to is not None) or needs_view(edit, self._chosen.get(target)):
                waiting.append(target)
                continue
            others = self._rests_on.get(target, ())
            showing = (self._chosen.get(ref) for ref in others if ref.message < cut and ref not in urgent)
            if not any(pointer is not None and pointer.points_to == target for pointer in showing):
                self.put(target, edit)
        while waiting:
            for target in waiting:
                if self._free(target):
                    self.put(target, self.found.get(target))
            left = [target for target in waiting if target in self.gains]
            if len(left) == len(waiting):
                break
            # What was made may have been what others waited for.
            waiting = left

    def _free(self, target: Ref) -> bool:
        """Whether what a pointer shows is there, and all that has gone for a view is shown by one in force."""
        edit = self.found.get(target)
        if edit is not None and edit.points_to in self._chosen:
            return False
        return self._folds.allows(target, edit, self._chosen.get(target))
