"""The protocol of guards. A guard checks every proposed edit, whichever strategy proposed it, and may refuse it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from prunus.edits import Proposal
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a guard refuses an edit, and until when."""

    reason: str
    turn: int | None = None
    """The turn at which to check the edit again."""
    loop: int | None = None
    """The loop at which to check the edit again, if no turn is given."""
    uses: int | None = None
    """The number of answered calls at which to check the edit again, if neither is given."""
    too_small: bool = False
    """The edit would save too little."""


class Guard(Protocol):
    """Refuses edits. A guard is a frozen dataclass, and its fields are its settings."""

    name: ClassVar[str]

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        """Return why this edit may not be made now, or None if it may."""


@runtime_checkable
class Mutes(Protocol):
    """A guard that says of some calls that they never make others dispensable."""

    def mutes(self, use: Use) -> bool:
        """Whether a call may replace no others."""
