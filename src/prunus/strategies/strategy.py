"""What a strategy is: it looks at what happened and says what could go.

A strategy is a frozen dataclass. Its fields are its settings, its docstring is its page, its name is its key.
It implements one of the protocols below and applies nothing. It is told of each event in order, knows only what
came before it, and keeps nothing in mind; so looking at a history at once or message by message finds the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, MutableMapping, Sequence
from typing import ClassVar, Protocol, runtime_checkable

from prunus.edits import Move, Proposal
from prunus.files import Timeline
from prunus.view import Piece, Use, View

__all__ = ["AfterEdit", "OnFile", "OnPiece", "OnUse", "Strategy"]


class Strategy(Protocol):
    """What all strategies have."""

    name: ClassVar[str]
    seed: ClassVar[str]
    """What the seed documents call it."""
    icon: ClassVar[str]


@runtime_checkable
class OnUse(Protocol):
    """Finds what an answered call makes dispensable among the earlier ones of its group."""

    name: ClassVar[str]

    def groups(self, use: Use) -> Iterable[Hashable]:
        """The groups that a call belongs to; none if the strategy has no interest in it."""

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        """What could go now that `use` has come, `earlier` being the members of the group before it."""


@runtime_checkable
class OnPiece(Protocol):
    """Finds what could go in text, thinking, attachments and markers."""

    name: ClassVar[str]

    def inspect(self, piece: Piece, view: View) -> Iterator[Move]:
        """What of this part could go, and from which turn on."""


@runtime_checkable
class AfterEdit(Protocol):
    """Finds what more could go because of what another strategy found."""

    name: ClassVar[str]

    def follow(self, edit: Proposal, view: View) -> Iterator[Proposal]:
        """What could go together with this."""


@runtime_checkable
class OnFile(Protocol):
    """Finds what could go because the content of a file is known."""

    name: ClassVar[str]

    def fold(self, use: Use, timeline: Timeline, past: MutableMapping[str, object], view: View) -> Iterator[Move]:
        """What could go now that the timeline has followed a call; `past` is what it wrote down at earlier ones."""
