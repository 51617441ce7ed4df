from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Move, Outlined, Postpone, Proposal, When
from prunus.reuse.likelihood import reuse_of
from prunus.view.uses import Use
from prunus.view.view import View

_LONGEST = 60
"""Idle turns after which a read gets no less likely to be used."""


@dataclass(frozen=True, slots=True)
class UnlikelyReads:
    """Reads that led to no edit and are unlikely to be used again, in a task that goes on.

    Agents read first and edit much later, so a read of a file that was not edited yet is usually a plan. But many
    such reads of a long task are never used, above all those after the first edit, when the agent looks things up
    in passing. A fitted model says how likely a read is to be used (`reuse/likelihood.py`). The more tokens the
    read has, the higher this likelihood may be. An outline stays.
    """

    name: ClassVar[str] = "unlikely_reads"
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "🔭"

    risk: float = 0.02
    """A read is cut if its probability of being used again is at most this, for each 500 tokens of the read."""
    idle: int = 10
    """Turns for which the read and its files have to be left alone at least."""
    share: float = 0.15
    """The share of a result that the outline keeps."""
    over: int = 600
    """Results with fewer characters stay whole."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return use.paths if use.ok else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        for old in earlier:
            idle, likely = self._wait(old, view)
            if idle:
                yield Postpone(old.result, self.name, use.turn + idle + 1, likely)
        idle, likely = self._wait(use, view) if group == use.touches[0].path else (0, 0.0)
        if idle:
            why, when = f"unused for {idle} turns", When(use.turn + idle + 1)
            yield Proposal(use.result, Outlined(self.share), self.name, why, when=when, reuse=likely)

    def _wait(self, use: Use, view: View) -> tuple[int, float]:
        """Return after how many idle turns a read is unlikely to be used (0 for never), and how likely then."""
        if use.meaning.kind == "read" and use.size > self.over and use.visible:
            late = view.after_change(use)
            idle = self.idle
            while idle <= _LONGEST:
                likely = reuse_of(use, "read", view, idle, late=late)
                if likely * 500 <= self.risk * use.tokens:
                    return idle, likely
                idle *= 2
        return 0, 0.0
