"""What a guard is: it is asked once for every edit, whoever proposed it, and may hold it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from prunus.edits import Proposal
from prunus.view import View

__all__ = ["Guard", "Hold"]


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


class Guard(Protocol):
    """Holds edits back. A frozen dataclass; its fields are its settings."""

    name: ClassVar[str]

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        """Why this edit may not be made now, or None."""
