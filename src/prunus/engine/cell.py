"""One cell of the board: the proposals and the decision for one part of a conversation.

The cells refer to each other in three ways:

- `dependants`: parts whose decision looks at this part, such as notes that point to it;
- `possible_covers`: parts with a proposal that would show what is still true of this part;
- `covers`: those of the possible covers whose wanted edit does so now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from prunus.edits import Proposal, Refusal
from prunus.history import Ref
from prunus.schedule.priorities import Standing

NONE: Final[frozenset[Ref]] = frozenset()
"""The empty set that most cells share, because they refer to no other cell."""


class Wait(NamedTuple):
    """What a decision waits for: at most one of turn, loop and calls."""

    turn: int | None = None
    loop: int | None = None
    uses: int | None = None
    """A number of answered calls."""


class Decision(NamedTuple):
    """The decision about one part."""

    wanted: Proposal | None = None
    requested: bool = False
    leaves: bool = False
    replaced: bool = False
    refusals: tuple[Refusal, ...] = ()
    forgone: Proposal | None = None
    waits: tuple[Wait, ...] = ()


@dataclass(slots=True, eq=False)
class Cell:
    """The proposals and the decision for one part."""

    options: dict[int, Proposal] = field(default_factory=dict)
    """The proposals for the part. The one with the lowest rank is preferred.

    `Board.option` gives one of them with its tokens.
    """
    wanted: Proposal | None = None
    """The edit that the part would get now."""
    made: Proposal | None = None
    """The edit that the part has in the requests that are sent."""
    refusals: tuple[Refusal, ...] = ()
    forgone: Proposal | None = None
    """The proposal that supersedes the part, but was not made because its note would be longer than the part."""
    requested: bool = False
    """The agent or the user discarded the part, whatever edit is wanted for it."""
    restored: bool = False
    """The agent or the user wants the part back, so only another request may cut it again."""
    noted: bool = False
    """A note that came with the history points to the part."""
    leaves: bool = False
    """The part is cut for a reason of its own, not because another part covers it."""
    replaced: bool = False
    """A newer answer replaces the part, so the part never points to an older one."""
    dependants: set[Ref] | frozenset[Ref] = NONE
    possible_covers: set[Ref] | frozenset[Ref] = NONE
    covers: set[Ref] | frozenset[Ref] = NONE

    @property
    def cover(self) -> Ref | None:
        """The newest part that covers this one; None if no part does, so this one has to stay."""
        return max(self.covers, default=None)

    @property
    def pointers(self) -> Iterator[Ref]:
        """The earlier parts that a note could point to instead of sending this part at all."""
        options = self.options.values()
        return (one.points_to for one in options if one.when.before_first_send and one.points_to is not None)

    @property
    def ends_call(self) -> bool:
        """Whether a strategy finds that nothing of the call is needed any more."""
        return any(option.ends_call for option in self.options.values())


@dataclass(frozen=True, slots=True)
class Pressed:
    """Which of the parts that are marked for pressure go now."""

    depth: tuple[Standing, ...] = ()
    """Marked parts of these standings go."""
    returns: bool = False
    """Whether the marked parts come back as soon as there is room again."""
