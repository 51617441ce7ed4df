from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from prunus.edits import Outlined, Proposal, When
from prunus.proposals import without_reasoning
from prunus.view.uses import Piece, Use
from prunus.view.view import View

_WHEN: Final = When(under_pressure=True)


@dataclass(frozen=True, slots=True)
class UnderPressure:
    """Results, and optionally reasoning, that go only when the context runs short.

    The agent can get any result again by calling the tool again, so losing a result is better than compacting the
    whole conversation. The level of pressure and the retention priority of each part decide which parts go. An
    outline stays.
    """

    name: ClassVar[str] = "under_pressure"
    seed: ClassVar[str] = "pruning triggers, decision tree"
    icon: ClassVar[str] = "🗜️"
    only_under_pressure: ClassVar[bool] = True

    over: int = 800
    """Results with fewer characters stay whole."""
    share: float = 0.1
    """The share of the text that the outline may keep."""
    thinking: bool = False
    """Whether the reasoning of earlier tool loops goes too, after the results that a tool can return again."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (None,) if use.size > self.over and use.visible else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        yield Proposal(use.result, Outlined(self.share), self.name, "the context runs short", when=_WHEN)

    def inspect(self, piece: Piece, view: View) -> Iterator[Proposal]:
        replacement = without_reasoning(piece.ref, view) if self.thinking else None
        if replacement is not None:
            yield Proposal(piece.ref, replacement, self.name, "the context runs short", when=_WHEN)
