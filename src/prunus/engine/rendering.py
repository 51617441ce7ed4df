"""The bytes of the messages with edits, rendered again only where something changed."""

from __future__ import annotations

from bisect import bisect_left, insort

from prunus.apply import change, extended
from prunus.edits import Replacement
from prunus.engine.in_force import InForce
from prunus.formats import write
from prunus.history import Ref
from prunus.invariants import Change, check
from prunus.policy.tags import Tags
from prunus.view import View

__all__ = ["Rendering"]


class Rendering:
    """Each message with edits or tags as it is sent."""

    def __init__(self, format: str, view: View, in_force: InForce, tags: Tags) -> None:
        self._format = format
        self._view = view
        self._chosen = in_force.chosen
        self._left = in_force.left
        self._touched = in_force.touched
        self._tags = tags
        self.rendered: dict[int, bytes] = {}
        self.size = 0
        self.edited: list[int] = []
        """The messages with edits, in order."""
        self.changed: tuple[int, ...] = ()
        """The messages whose edits are other than in the request before."""

    def renew(self, resent: int) -> None:
        """Render what was touched, and what may have come with other bytes: all from `resent` on."""
        self._touched.update(self.edited[bisect_left(self.edited, resent) :])
        self.changed = tuple(sorted(self._touched))
        self._touched.clear()
        for index in self.changed:
            self._render(index)

    def _render(self, index: int) -> None:
        """Carry out the edits of one message, and see that its provider will take it."""
        before = self._view.message(index)
        edits = {
            part: self._dressed(ref)
            for part in range(len(before.parts))
            if (ref := Ref(index, part)) in self._chosen or self._left(ref) or self._tags.missing(ref)
        }
        if not edits:
            if index in self.rendered:
                self.size -= len(self.rendered.pop(index))
                self.edited.remove(index)
            return
        after = change(before, edits)
        more = after is None and index + 1 < len(self._view.turns)
        following = self._view.message(index + 1) if more else None
        open_loop = self._view.loops[index] >= self._view.loop
        own = all(e.asked and e.fresh for p in edits if (e := self._chosen.get(Ref(index, p))) is not None)
        check(Change(self._format, before, after, following, open_loop, own))
        if index in self.rendered:
            self.size -= len(self.rendered[index])
        else:
            insort(self.edited, index)
        self.rendered[index] = write(before, edits)
        self.size += len(self.rendered[index])

    def _dressed(self, ref: Ref) -> Replacement:
        """What becomes of a part, with all that stands behind it."""
        edit = self._chosen.get(ref)
        replacement = edit.replacement if edit is not None else None
        words = self._left(ref)
        return extended(replacement, words, self._tags.shown(ref, replacement, words))
