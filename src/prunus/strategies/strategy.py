"""The protocols of strategies. A strategy looks at each event of a history and proposes edits.

A strategy is a frozen dataclass. Its fields are its settings, its docstring is its page, its name is its key. It
implements one of the protocols below and changes nothing itself. It sees the events in order and knows only what
came before. So a history that is seen at once leads to the same moves as one that is seen message by message. State
that a strategy keeps for a conversation is declared as a `State` class and held by the engine.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, Protocol, TypeVar, runtime_checkable

from prunus.edits import Move, Proposal
from prunus.files.timeline import Timeline
from prunus.requested.commands import Command
from prunus.requested.targets import Choice, Permissions
from prunus.view.uses import Piece, Use
from prunus.view.view import View

P = TypeVar("P")


class Strategy(Protocol):
    """The attributes that all strategies have."""

    name: ClassVar[str]
    seed: ClassVar[str]
    """The name of the rule in the ACP plugin's documents."""
    icon: ClassVar[str]


@runtime_checkable
class OnUse(Protocol):
    """Finds earlier calls of a group that an answered call makes dispensable."""

    name: ClassVar[str]

    def groups(self, use: Use) -> Iterable[Hashable]:
        """Return the groups that a call belongs to; none if the strategy ignores the call."""

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        """Yield what could go now that `use` was answered; `earlier` are the calls of the group before it."""


@runtime_checkable
class OnPiece(Protocol):
    """Finds texts, thinking, attachments and markers that could go."""

    name: ClassVar[str]

    def inspect(self, piece: Piece, view: View) -> Iterator[Move]:
        """Yield what could go of this part, and from which turn on."""


@runtime_checkable
class AfterEdit(Protocol):
    """Finds what else could go because another strategy proposed an edit."""

    name: ClassVar[str]

    def follow(self, edit: Proposal, view: View) -> Iterator[Proposal]:
        """Yield what could go together with this edit."""


@runtime_checkable
class OnFile(Protocol):
    """Finds what could go because the contents of a file are known."""

    name: ClassVar[str]
    State: ClassVar[type]
    """The state that the strategy keeps for a conversation, held by the engine."""

    def fold(self, use: Use, timeline: Timeline, state: Any, view: View) -> Iterator[Move]:
        """Yield what could go now that the timeline has followed a call."""


@runtime_checkable
class OnlyUnderPressure(OnUse, OnPiece, Protocol):
    """Finds what could go only when the context runs short."""

    only_under_pressure: ClassVar[bool]


@runtime_checkable
class TakesRequests(Permissions, Protocol):
    """Carries out the requests of the agent and the user; a conversation has at most one such strategy."""

    name: ClassVar[str]

    def choices(self, use: Use, view: View) -> tuple[Choice, ...]:
        """Return the requests of one call of the agent, target by target."""

    def acknowledged_choices(self, use: Use, view: View) -> tuple[Choice, ...]:
        """Return the requests of a call that its tool only acknowledged; nothing for any other call."""

    def complete_answer(self, use: Use, found: Sequence[Choice], status: str, view: View) -> Iterator[Proposal]:
        """Return the full answer to an acknowledged call: what was pruned, and what could not be done."""

    def command(self, piece: Piece, view: View) -> Command | None:
        """Return the answered command of the user right before a message of the user; None if there is none."""


_IMPLEMENTED: Final[dict[tuple[type, type], bool]] = {}
"""Whether a class implements a protocol.

Each `isinstance` with a protocol looks at all of its names again. That took a fifth of the time of a short request.
"""


def of_kind(ones: Iterable[object], protocol: type[P]) -> tuple[P, ...]:
    """Return the strategies or guards that implement a protocol."""
    found: list[P] = []
    for one in ones:
        known = _IMPLEMENTED.get((type(one), protocol))
        if known is None:
            known = _IMPLEMENTED[type(one), protocol] = isinstance(one, protocol)
        if known:
            found.append(one)  # type: ignore[arg-type]
    return tuple(found)
