from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from prunus.edits import Move, Note, Proposal, When, Withdraw
from prunus.files import Timeline
from prunus.files.content import Line
from prunus.history import Call, Ref
from prunus.notes import pointer_note, shorten
from prunus.proposals import describe
from prunus.uses import Use
from prunus.view import View

_MOST = 300
"""The newest reads and writes of one file that a read may point to."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A part that shows lines of a file from top to bottom: a read, or the text that was written."""

    use: Use
    part: Ref
    start: int
    """The number of its first line."""
    lines: tuple[Line, ...] | None
    """None once no line of it can be in the file."""
    era: object
    what: str
    size: int
    copy: bool = False
    """An earlier one has the same text, so this one may point to that itself."""

    @property
    def note(self) -> tuple[str, int]:
        """What a note says that points to it."""
        return self.what, self.size


@dataclass(frozen=True, slots=True)
class ShownLines:
    """A read that shows nothing but lines that are shown already.

    Agents read what they have written, a range of what they read as a whole, or the same file after an edit
    elsewhere in it. Where every line stands in one earlier read or write under the same number, the new read gives
    way to a note that points there, before it is first sent, which costs no prompt cache. The earlier part then
    stays, unless it goes for a reason of its own; then the new one is shown.
    """

    name: ClassVar[str] = "shown_lines"
    State: ClassVar[type] = dict[str, list[_Source]]
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "🔁"

    over: int = 500
    """Reads with fewer characters stay."""
    writes: bool = True
    """Whether a read may point to the text that the agent has written, not only to another read."""

    def fold(self, use: Use, timeline: Timeline, state: dict[str, list[_Source]], view: View) -> Iterator[Move]:
        """The read gives way to an earlier part, if there is one that shows all of its lines."""
        if len(use.touches) != 1 or not use.ok:
            return
        path = use.touches[0].path
        known = state.setdefault(path, [])
        if use.points is not None:
            # A note of an earlier pass: what it says is true only while that part is shown.
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
        holders = [one for one in reversed(known) if _holds(one, own, file.content.length)]
        found = next((one for one in holders if not one.copy), None)
        again = found is not None and found.use.shown == use.shown
        if found is None or again or own.part != use.result or use.size <= self.over:
            known.append(replace(own, copy=again))
            del known[:-_MOST]
        else:
            # Where the first one leaves, a copy of it stays.
            copy = next((one for one in holders if one.copy), None)
            yield from (_pointer(use, one, n) for n, one in enumerate((copy, found)) if one is not None)

    def _source(self, use: Use, timeline: Timeline, view: View) -> _Source | None:
        """What a call shows of its file; None unless that is an unbroken run of lines."""
        file = timeline.files.get(use.touches[0].path)
        if file is None or not file.mentions:
            return None
        mention = file.mentions[-1]
        lines = tuple(line for line in mention.lines if line is not None)
        if mention.use != use.index or len(lines) < len(mention.lines):
            return None
        shown = mention.start, lines, file.content.era
        if mention.read:
            return _Source(use, use.result, *shown, describe(use), use.size) if use.visible else None
        call, kind = view.part(use.call), use.meaning.kind
        if not self.writes or kind not in ("write", "shell") or use.stripped or not isinstance(call, Call):
            return None
        # A command may write lines without spelling them out.
        if kind == "shell" and not all(line.text in use.meaning.command for line in lines):
            return None
        what = describe(use) if kind == "write" else f"command that wrote {shorten(file.path)}"
        return _Source(use, use.call, *shown, what, len(call.text))


def _pointer(use: Use, found: _Source, preference: int) -> Proposal:
    """A note in place of a read that points to an earlier part."""
    text = pointer_note(describe(use), found.what, found.size, among=True)
    return Proposal(
        use.result,
        Note(text),
        ShownLines.name,
        f"the earlier {found.what} shows its lines",
        cause=found.use.call,
        points_to=found.part,
        when=When(before_first_send=True),
        preference=preference,
    )


def _holds(source: _Source, own: _Source, length: int | None) -> bool:
    """Whether all lines of a part stand in an earlier one, under the same numbers, and the file ends there too."""
    held, wanted = source.lines, own.lines
    if held is None or wanted is None:
        return False
    first, end = own.start - source.start, own.start + len(wanted)
    if first < 0 or (length == end - 1 and source.start + len(held) != end):
        return False
    if first < len(held) and wanted and held[first] is not wanted[0]:
        return False
    same = held[first : first + len(wanted)]
    return len(same) == len(wanted) and all(a is b for a, b in zip(same, wanted, strict=True))
