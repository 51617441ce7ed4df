"""The bytes of the messages with edits, rendered again only where something changed."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping

from prunus.apply import change, extended
from prunus.edits import Replacement
from prunus.engine.in_force import InForce
from prunus.engine.tags import Tags
from prunus.fingerprint import fingerprint
from prunus.history import Message, Ref
from prunus.invariants import Change, check
from prunus.providers import write
from prunus.schedule.ledger import Written
from prunus.view import View

__all__ = ["Rendering", "key_of", "render"]


def key_of(raw: bytes, edits: Mapping[int, Replacement]) -> bytes:
    """A name for a message with these edits; another message, or another edit, has another one."""
    changes = repr([(part, edits[part]) for part in sorted(edits)])
    return fingerprint(raw, changes.encode("utf-8", "surrogatepass"))


def render(
    format: str,
    before: Message,
    following: Message | None,
    edits: Mapping[int, Replacement],
    *,
    open_loop: bool,
    own: bool,
) -> bytes:
    """One message with its edits carried out; raises where its provider would not take it."""
    after = change(before, edits)
    check(Change(format, before, after, following if after is None else None, open_loop, own))
    return write(before, edits)


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
        self._keys: dict[int, bytes] = {}
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
                del self._keys[index]
                self.edited.remove(index)
            return
        own = all(
            e.when.requested_by == "prunus" for p in edits if (e := self._chosen.get(Ref(index, p))) is not None
        )
        following = self._view.message(index + 1) if index + 1 < len(self._view.turns) else None
        open_loop = self._view.loops[index] >= self._view.loop
        if index in self.rendered:
            self.size -= len(self.rendered[index])
        else:
            insort(self.edited, index)
        self.rendered[index] = render(self._format, before, following, edits, open_loop=open_loop, own=own)
        self._keys[index] = key_of(before.raw, edits)
        self.size += len(self.rendered[index])

    def written(self, indices: Iterable[int]) -> dict[int, Written | None]:
        """Some messages as they are sent; None for one that is sent as it came."""
        made = self.rendered
        return {i: Written(self._keys[i], made[i]) if i in made else None for i in indices}

    def _dressed(self, ref: Ref) -> Replacement:
        """What becomes of a part, with all that stands behind it."""
        edit = self._chosen.get(ref)
        replacement = edit.replacement if edit is not None else None
        words = self._left(ref)
        return extended(replacement, words, self._tags.shown(ref, replacement, words))
