from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Move, Note, Proposal, Withdraw
from prunus.notes import Elsewhere, reread_note, shorten
from prunus.view.uses import Use
from prunus.view.view import View

_MOST = 100
"""The newest reads of one file that are considered; each new read is compared with all of them."""


@dataclass(frozen=True, slots=True)
class MiddleReads:
    """Of many full reads of one file, those between the first and the last.

    Up to two reads all stay. Of three to five reads, the first and the last stay. Of six or more, some evenly
    spaced reads between them stay too. A removed read points to a read that stays, if that read shows the same
    text. Otherwise its note says that the file has changed since. If no read that stays shows any text, all stay.
    """

    name: ClassVar[str] = "middle_reads"
    seed: ClassVar[str] = "first + last + sampled"
    icon: ClassVar[str] = "📚"

    samples: int = 3
    """How many reads between the first and the last stay once there are six."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if use.ok and use.meaning.kind == "read" and not use.stub and len(use.touches) == 1:
            touch = use.touches[0]
            if touch.span.full:
                yield touch.path

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        reads = (*earlier[-_MOST:], use)
        if len(reads) < 3:
            return
        kept = {0, len(reads) - 1, *self._sampled(len(reads))}
        for i, read in enumerate(reads[:-1]):
            if i in kept:
                if i:
                    yield Withdraw(read.result, self.name)
            elif read.visible and (shown := [reads[k] for k in sorted(kept) if reads[k].visible]):
                yield self._point(read, shown, earlier[0], use, str(group), view)

    def _sampled(self, count: int) -> Iterator[int]:
        middle = count - 2
        samples = min(self.samples, middle)
        if count >= 6:
            yield from (1 + k * middle // samples for k in range(samples))

    def _point(self, read: Use, shown: Sequence[Use], first: Use, by: Use, path: str, view: View) -> Proposal:
        for other in shown:
            if other.shown == read.shown:
                before: Elsewhere = "first" if other is first else "earlier"
                text = reread_note(shorten(path), before if other.index < read.index else "later", view.words)
                reason = "another read shows the same text"
                return Proposal(read.result, Note(text), self.name, reason, cause=by.call, points_to=other.result)
        text = reread_note(shorten(path), "", view.words)
        return Proposal(read.result, Note(text), self.name, "the file changed since", cause=by.call)
