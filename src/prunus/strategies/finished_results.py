from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Move, Outlined, Postpone, Proposal, When
from prunus.outlines.outline import searches
from prunus.reuse.likelihood import PartKind, reuse_of
from prunus.view.uses import Use
from prunus.view.view import View

_LEFT_ALONE = "its file was edited and left alone"


@dataclass(frozen=True, slots=True)
class FinishedResults:
    """Results that have served their purpose and are unlikely to be needed later.

    Whether a result has served its purpose says more than its age. In recorded sessions, the output of a command is
    hardly ever used after a few turns, and neither is a read whose file was edited and then left alone. A read of a
    file that was not edited yet is a plan still to be carried out, so it stays. An outline of the result stays: the
    definitions of a file, the paths of a listing, the beginning, end and error lines of a log.
    """

    name: ClassVar[str] = "finished_results"
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "🏷️"

    shell: int = 2
    """Turns after which the output of a command is cut to its outline."""
    search: int = 10
    """Turns after which a search or a listing is cut to its outline."""
    idle: int = 8
    """Turns for which an edited file has to be left alone before its reads are cut."""
    share: float = 0.15
    """The share of the text that the outline may keep."""
    over: int = 600
    """Results with fewer characters stay whole."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (None, *use.paths) if use.ok else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        if group is None:
            wait = self.search if searches(use) else self.shell if use.meaning.kind == "shell" else None
            if wait is not None:
                kind: PartKind = "search" if searches(use) else "shell"
                likely = reuse_of(use, kind, view, wait)
                yield from self._cut(use, use.turn + wait, likely, f"{wait} turns old")
            return
        path = str(group)
        changes = [
            other.index
            for other in (*earlier, use)
            if (touch := other.touched(path)) is not None and touch.kind != "read"
        ]
        if not changes:
            return
        from_turn = use.turn + self.idle + 1
        idle_is_over = bool(earlier) and earlier[-1].turn + self.idle < view.turn
        reads = [read for read in earlier if read.meaning.kind == "read"]
        for at, read in enumerate(reads):
            if read.size <= self.over or read.index > changes[-1]:
                continue
            known = len(read.touches) == 1 and changes[bisect_right(changes, read.index)] != use.index
            if known and idle_is_over:
                # The read was proposed before, and nothing can be postponed that is due already.
                continue
            # How likely it is used again, once the file has been left alone.
            likely = reuse_of(read, "edited read", view, self.idle, reads=len(reads) - 1 - at)
            if known:
                # Every touch of the file starts its idle time anew.
                yield Postpone(read.result, self.name, from_turn, likely)
            elif all(view.newest_touch(touch.path) > read.index for touch in read.touches):
                yield from self._cut(read, use.turn + self.idle, likely, _LEFT_ALONE)

    def _cut(self, use: Use, last: int, likely: float, why: str) -> Iterator[Move]:
        if use.size > self.over and use.visible:
            outline = Outlined(self.share)
            yield Proposal(use.result, outline, self.name, why, when=When(last + 1), reuse=likely)
