"""Renders the bytes of the messages with edits, and renders a message again only if it changed.

A request can also be written from its ledger alone. The ledger holds the replacement of every part that is not sent
as it came. So if there is no time to look at the history, the request is sent with the edits that it had before.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping

from prunus.apply import change, with_text_behind
from prunus.edits import Added, Gone, Input, Proposal, Replacement
from prunus.engine.board import Board
from prunus.engine.made import Made
from prunus.engine.tags import Tags
from prunus.history import Message, MessageAt, Ref, Thinking
from prunus.invariants import ChangedMessage, check
from prunus.providers import write
from prunus.schedule.ledger import Ledger, Tag, Written
from prunus.text.fingerprint import fingerprint
from prunus.view.view import View


def _key(raw: bytes, edits: Mapping[int, Replacement]) -> bytes:
    """Return a key that differs for every other message and every other edit."""
    changes = repr([(part, edits[part]) for part in sorted(edits)])
    return fingerprint(raw, changes.encode("utf-8", "surrogatepass"))


def _render(
    format: str,
    before: Message,
    following: Message | None,
    edits: Mapping[int, Replacement],
    *,
    open_loop: bool,
    own: bool,
) -> bytes:
    """Return one message with its edits made; raises if its provider would refuse the message."""
    after = change(before, edits)
    check(ChangedMessage(format, before, after, following if after is None else None, open_loop, own))
    return write(before, edits)


def _is_own(edits: Iterable[Proposal | None]) -> bool:
    """Whether the edit removes only text that was addressed to Prunus or came from it."""
    return all(edit.when.requested_by == "prunus" for edit in edits if edit is not None)


def _replacement(edit: Proposal | None, outline: str, tag: Tag | None) -> Replacement:
    """Return the replacement of a part, with the outline and the tag behind it.

    A text that stays keeps the tag with which it came.
    """
    replacement = edit.replacement if edit is not None else None
    stays = (replacement is None or isinstance(replacement, Added)) and not outline
    shown = "" if tag is None or (stays and not tag.added) else tag.text
    return with_text_behind(replacement, outline, shown)


class Rendering:
    """Each message with edits or tags as it is sent."""

    def __init__(self, format: str, view: View, board: Board, made: Made, tags: Tags) -> None:
        self._format = format
        self._view = view
        self._board = board
        self._made = made
        self._tags = tags
        self.rendered: dict[int, bytes] = {}
        self._written: dict[int, Written] = {}
        """Rendered messages with their keys. Only a memory needs the keys, and making them takes 2 % of the first
        look at a conversation."""
        self.size = 0
        """The bytes of all messages with edits."""
        self.edited: list[int] = []
        """The messages with edits, in order."""
        self.changed: tuple[int, ...] = ()
        """The messages with other edits than in the request before."""

    def renew(self, resent: int) -> None:
        """Render the touched messages, and all from `resent` on, whose bytes may have changed."""
        touched = self._made.take_touched()
        touched.update(self.edited[bisect_left(self.edited, resent) :])
        self.changed = tuple(sorted(touched))
        for index in self.changed:
            self._renew(index)

    def _renew(self, index: int) -> None:
        before, edits = self._view.message(index), self._replacements(index)
        if not edits:
            if index in self.rendered:
                self.size -= len(self.rendered.pop(index))
                self._written.pop(index, None)
                self.edited.remove(index)
            return
        own = _is_own(self._board.made(Ref(index, part)) for part in edits)
        following = self._view.message(index + 1) if index + 1 < len(self._view.turns) else None
        open_loop = self._view.loops[index] >= self._view.loop
        if index in self.rendered:
            self.size -= len(self.rendered[index])
        else:
            insort(self.edited, index)
        self.rendered[index] = _render(self._format, before, following, edits, open_loop=open_loop, own=own)
        self.size += len(self.rendered[index])

    def changes(self, raw: Callable[[int], bytes]) -> dict[int, Written | None]:
        """Return the changed messages as they are sent; None for a message that has no edit any more.

        `raw` returns the original bytes of a message of this request.
        """
        found = {index: self._with_key(index, raw) for index in self.changed}
        self._written.update((index, one) for index, one in found.items() if one is not None)
        return found

    def written(self, raw: Callable[[int], bytes]) -> dict[int, Written | None]:
        """Return all messages with edits as they are sent; `raw` returns the original bytes of a message."""
        return {index: self._with_key(index, raw) for index in tuple(self.rendered)}

    def _with_key(self, index: int, raw: Callable[[int], bytes]) -> Written | None:
        text = self.rendered.get(index)
        if text is None:
            return None
        known = self._written.get(index)
        if known is not None and known.text is text:
            return known
        return Written(_key(raw(index), self._replacements(index)), text)

    def _replacements(self, index: int) -> dict[int, Replacement]:
        """Return the replacements of the parts of a message, each with the outline and the tag behind it."""
        found: dict[int, Replacement] = {}
        for part in range(len(self._view.shapes[index].kinds)):
            ref = Ref(index, part)
            edit, outline, tag = self._board.made(ref), self._made.outline(ref), self._tags.placed.get(ref)
            if edit is not None or outline or (tag is not None and tag.added):
                found[part] = _replacement(edit, outline, tag)
        return found


def edits_taken_over(ledger: Ledger, count: int, load: MessageAt) -> tuple[Proposal, ...]:
    """Return the edits of a ledger that a request of `count` messages takes over.

    If an undo opens a finished tool loop again, the reasoning of that loop comes back.
    """
    opened: int | None = None
    found = []
    for edit in ledger.edits:
        if isinstance(load(edit.target.message).parts[edit.target.part], Thinking):
            opened = _open_loop(count, load) if opened is None else opened
            if edit.target.message >= opened:
                continue
        found.append(edit)
    return tuple(found)


def _open_loop(count: int, load: MessageAt) -> int:
    """Return the newest message of the user, behind which the current tool loop begins."""
    return next((i for i in range(count - 1, -1, -1) if load(i).role == "user" and load(i).spoken), 0)


def render_ledger(
    format: str,
    ledger: Ledger,
    count: int,
    load: MessageAt,
    raw: Callable[[int], bytes],
    known: Mapping[int, Written | None],
) -> dict[int, Written]:
    """Return each message that is sent in another form than it came, with the edits, outlines and tags of a ledger.

    A message that is `known` from the last request is not even parsed.
    """
    made = {edit.target: edit for edit in ledger.edits}
    inputs = (edit.replacement for edit in ledger.edits if isinstance(edit.replacement, Input))
    outlines = {one.result: one.left for one in inputs if one.result is not None}
    tags = {tag.ref: tag for tag in ledger.tags}
    places: dict[int, set[Ref]] = {}
    for ref in (*made, *outlines, *(tag.ref for tag in ledger.tags if tag.added)):
        places.setdefault(ref.message, set()).add(ref)
    written: dict[int, Written] = {}
    for index in sorted(places):
        replacements = {
            ref.part: _replacement(made.get(ref), outlines.get(ref, ""), tags.get(ref))
            for ref in sorted(places[index])
        }
        key = _key(raw(index), replacements)
        found = known.get(index)
        if found is None or found.key != key:
            gone = all(isinstance(one, Gone) for one in replacements.values())
            following = load(index + 1) if gone and index + 1 < count else None
            own = _is_own(made.get(ref) for ref in places[index])
            found = Written(key, _render(format, load(index), following, replacements, open_loop=False, own=own))
        written[index] = found
    return written
