from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Move, Note, Proposal, When, Withdraw
from prunus.files.content import Line
from prunus.files.timeline import Timeline
from prunus.history import Ref
from prunus.notes import pointer_note, shorten
from prunus.proposals import describe
from prunus.value import replace, value
from prunus.view.uses import Use
from prunus.view.view import View

_MOST = 300
"""How many of the newest reads and writes of one file a read may point to."""
_NEAR = 20
"""How many of these reads and writes are searched for lines that an edit has moved."""


@value
class _Source:
    """A part that shows an unbroken run of lines of a file: a read, or a written text."""

    use: Use
    part: Ref
    start: int
    """The number of its first line."""
    texts: array[int]
    """Hashes of its lines. They never leave the process, so Python's own suffice."""
    lines: tuple[Line, ...] | None
    """None once none of its lines can be in the file any more."""
    era: object
    what: str
    size: int
    numbered: bool = False
    """Whether it shows line numbers."""
    copy: bool = False
    """Whether an earlier source shows the same lines, so that this one may become a note itself."""

    @property
    def note(self) -> tuple[str, int]:
        """Return the part of a note that points to this source."""
        return self.what, self.size


@dataclass(frozen=True, slots=True)
class ShownLines:
    """A read whose lines the request shows already.

    Agents read back what they have written, a range of a file that they have read whole, or the same file after an
    edit elsewhere in it. If one earlier read or write shows every line under the same number, the new read becomes
    a note that points there. This happens before the read is first sent, which costs no prompt cache. If an edit
    has moved the lines, and both reads show line numbers, the note gives both ranges.

    The earlier part then stays. If it goes for another reason, the new read is shown in full.
    """

    name: ClassVar[str] = "shown_lines"
    State: ClassVar[type] = dict[str, list[_Source]]
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "🔁"

    over: int = 500
    """Reads with fewer characters stay."""
    writes: bool = True
    """Whether a read may also point to text that the agent has written, not only to another read."""

    def fold(self, use: Use, timeline: Timeline, state: dict[str, list[_Source]], view: View) -> Iterator[Move]:
        """Replace the read by a note, if an earlier part shows all of its lines."""
        if len(use.touches) != 1 or not use.ok:
            return
        path = use.touches[0].path
        known = state.setdefault(path, [])
        if use.points is not None:
            # The result is a note of an earlier pass, which is true only while that part is shown.
            for source in known:
                if source.note == use.points:
                    yield Withdraw(use.result, self.name, points_to=source.part)
            return
        own = self._source(use, timeline, view)
        if own is None:
            return
        file = timeline.files[path]
        if known and known[-1].era is not own.era:
            lost = (one.lines is not None and not file.remembers(one.era) for one in known)
            known[:] = [replace(one, lines=None) if gone else one for one, gone in zip(known, lost, strict=True)]
        length = file.content.length
        places = ((one, _place(one, own, length, far=n >= _NEAR)) for n, one in enumerate(reversed(known)))
        holders = [(one, place) for one, place in places if place is not None]
        found, at = next(((one, place) for one, place in holders if not one.copy), (None, 0))
        again = found is not None and found.use.shown == use.shown
        may_point = own.part == use.result and use.size > self.over and not again
        known.append(replace(own, copy=again or (may_point and found is not None)))
        del known[:-_MOST]
        if found is None or not may_point:
            return
        # If the first source leaves, a copy of it is shown.
        copies = [(one, place) for one, place in holders if one.copy][:1]
        for preference, (one, place) in enumerate((*copies, (found, at)), start=1 - len(copies)):
            yield _pointer(own, one, place, preference)

    def _source(self, use: Use, timeline: Timeline, view: View) -> _Source | None:
        """Return the lines of its file that a call shows; None unless they are an unbroken run."""
        file = timeline.files.get(use.touches[0].path)
        if file is None or not file.mentions:
            return None
        mention = file.mentions[-1]
        lines = tuple([line for line in mention.lines if line is not None])
        if mention.use != use.index or len(lines) < len(mention.lines):
            return None
        shown = mention.start, array("q", [hash(line.text) for line in lines]), lines, file.content.era
        if mention.read:
            numbered = file.style is not None and bool(file.style.separator)
            return _Source(use, use.result, *shown, describe(use), use.size, numbered) if use.visible else None
        kind = use.meaning.kind
        if not self.writes or kind not in ("write", "shell") or use.stripped:
            return None
        # A command may write lines without spelling them out.
        if kind == "shell" and not all(line.text in use.meaning.command for line in lines):
            return None
        what = describe(use) if kind == "write" else f"command that wrote {shorten(file.path)}"
        return _Source(use, use.call, *shown, what, len(view.call(use).text))


def _pointer(own: _Source, found: _Source, place: int, preference: int) -> Proposal:
    """A note in place of a read that points to an earlier part; `place` is that of its first line there."""
    first, there = own.start, found.start + place
    last = len(own.texts) - 1
    moved = "" if first == there else f"; lines {first}-{first + last} are lines {there}-{there + last} there"
    text = pointer_note(describe(own.use), found.what, found.size, among=True, moved=moved)
    return Proposal(
        own.part,
        Note(text),
        ShownLines.name,
        f"the earlier {found.what} shows its lines",
        cause=found.use.call,
        points_to=found.part,
        when=When(before_first_send=True),
        preference=preference,
    )


def _place(source: _Source, own: _Source, length: int | None, *, far: bool) -> int | None:
    """Return where the first line of a part stands in an earlier part that shows all of its lines, or None.

    Under the same line numbers, equal texts are enough, whatever may have happened to the file in between.
    Otherwise the lines themselves must have moved, both parts must show line numbers, and the earlier part must not
    be far back. If the file ends with the part, the earlier part ends there too.
    """
    size = len(own.texts)
    ends = length == own.start + size - 1
    place = own.start - source.start
    if size and place >= 0 and source.texts[place : place + size] == own.texts:
        return None if ends and len(source.texts) != place + size else place
    held, wanted = source.lines, own.lines
    if far or not held or not wanted or not (source.numbered and own.numbered) or wanted[0] not in held:
        return None
    place = held.index(wanted[0])
    if len(held) < place + size or (ends and len(held) != place + size):
        return None
    return place if held[place : place + len(wanted)] == wanted else None
