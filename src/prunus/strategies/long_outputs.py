from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from prunus.calls.meaning import Kind
from prunus.edits import Proposal, Shorter, When
from prunus.notes import is_shortened, truncated_note
from prunus.outlines.outline import gist, searches
from prunus.view.uses import Use
from prunus.view.view import View

_LOOKED_AT: Final = 20_000
"""The first characters of a result, by which a page of markup is recognised."""


@dataclass(frozen=True, slots=True)
class LongOutputs:
    """The middle of a very long result.

    Test runs, logs and builds show what matters at their beginning and at their end, so the middle is cut. Results
    of medium length are only marked: they are cut when the context runs short.
    """

    name: ClassVar[str] = "long_outputs"
    seed: ClassVar[str] = "bash truncate, truncateLargeOutputs"
    icon: ClassVar[str] = "📜"

    over: int = 10_000
    """Results with more characters are cut."""
    searches: int = 10_000
    """The same limit for searches and listings, which name what the next calls will use."""
    head: int = 2_000
    """Characters that stay at the beginning."""
    tail: int = 2_000
    """Characters that stay at the end."""
    middle: float = 0.0
    """The share of the middle that may stay: lines with errors and file names; of listings, the paths."""
    turns: int = 0
    """Results of this many newest turns are not cut."""
    at_once: bool = False
    """Cut a result before it is sent for the first time, which costs no prompt cache."""
    markup: bool = True
    """Cut pages of markup too. An agent often changes a page that it has printed, and then needs all of it."""
    marked: int = 1_000
    """Results with more characters may be cut when the context runs short."""
    kinds: tuple[Kind, ...] = (
        "read", "list", "search", "fetch", "shell", "task", "snapshot", "other"
    )  # fmt: skip
    """Kinds of tools whose results may be cut."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (None,) if use.size > self.marked and use.meaning.kind in self.kinds and use.visible else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        text = view.result(use).text
        if is_shortened(text):
            return
        listing = searches(use)
        kept = not self.markup and _is_markup(text)
        pressure = kept or len(text) <= (self.searches if listing else self.over)
        share = len(text) // 5 if pressure else len(text)
        head, tail = min(self.head, share), min(self.tail, share)
        middle = truncated_note(len(text), text.count("\n") + 1)
        cut = text[head : len(text) - tail]
        kept_middle = gist(cut, self.middle, listing=listing) if self.middle and not pressure else ""
        shorter = f"{text[:head]}\n\n{middle}\n{kept_middle}\n{text[len(text) - tail :]}"
        reason = f"{len(text):,} characters long"
        from_turn = use.turn + self.turns if self.turns else 0
        when = When(from_turn, before_first_send=self.at_once, under_pressure=pressure)
        yield Proposal(use.result, Shorter(shorter), self.name, reason, when=when)


def _is_markup(text: str) -> bool:
    """Return whether half of the first lines, or more, begin with a tag."""
    lines = [line.lstrip() for line in text[:_LOOKED_AT].split("\n") if line.strip()]
    return 2 * sum(line.startswith("<") for line in lines) >= len(lines) > 0
