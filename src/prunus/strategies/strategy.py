"""What a strategy is: it looks at what happened and says what could go.

A strategy is a frozen dataclass. Its fields are its settings, its docstring is its page, its name is its key.
It implements one of the protocols below and applies nothing. It is told of each event in order and knows only what
came before it. So a history that is seen at once leads to the same moves as one that is seen message by message.
What a strategy has to remember of a conversation, it declares as a `State` class, and the engine keeps that.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

from prunus.edits import Move, Proposal
from prunus.files import Timeline
from prunus.requested.targets import Choice, Permissions
from prunus.view.uses import Piece, Use
from prunus.view.view import View


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
    State: ClassVar[type]
    """What the strategy remembers of a conversation from one call to the next. The engine keeps it."""

    def fold(self, use: Use, timeline: Timeline, state: Any, view: View) -> Iterator[Move]:
        """What could go now that the timeline has followed a call."""


@runtime_checkable
class OnlyUnderPressure(OnUse, OnPiece, Protocol):
    """Is asked only when the context runs short."""

    only_under_pressure: ClassVar[bool]


@runtime_checkable
class TakesRequests(Permissions, Protocol):
    """Carries out what the agent and the user ask for; a conversation has at most one such strategy."""

    name: ClassVar[str]

    def choices(self, use: Use, view: View) -> tuple[Choice, ...]:
        """What one call of the agent asks for, target by target."""

    def acknowledged(self, use: Use, view: View) -> tuple[Choice, ...]:
        """The same for a call that its tool only acknowledged; nothing for every other call."""

    def completed(self, use: Use, found: Sequence[Choice], status: str, view: View) -> Iterator[Proposal]:
        """The answer to an acknowledged call, with what could not be done and what was pruned."""

    def obey(self, command: str, at: int, view: View) -> Iterator[Move]:
        """The moves that follow from a command such as `sweep 5`, given before message `at`."""

    def switched(self, command: str, manual: bool) -> bool:
        """Whether manual mode is on after a command, given whether it was on before."""

    def manual(self, piece: Piece, view: View, now: bool) -> bool:
        """Whether manual mode is on after a message, given whether it was on before."""
