"""What a guard is: it is asked once for every edit, whoever proposed it, and may hold it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from prunus.edits import Proposal
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class Hold:
    """Why an edit is held back, and until when."""

    reason: str
    turn: int | None = None
    """The turn at which to ask again."""
    loop: int | None = None
    """The loop at which to ask again, where no turn says it."""
    uses: int | None = None
    """The number of answered calls at which to ask again, where neither says it."""
    too_small: bool = False
    """The edit would save too little."""


class Guard(Protocol):
    """Holds edits back. A frozen dataclass; its fields are its settings."""

    name: ClassVar[str]

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        """Why this edit may not be made now, or None."""


@runtime_checkable
class Mutes(Protocol):
    """A guard that says of some calls that they never make others dispensable."""

    def mutes(self, use: Use) -> bool:
        """Whether a call may replace no others."""
