from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class UnresolvedErrors:
    """A failed call stays whole for some turns, unless a successful retry came first."""

    name: ClassVar[str] = "unresolved_errors"

    turns: int = 3
    """For how many turns a failed call stays whole."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is None or use.ok or edit.when.requested_by or (edit.cause and edit.ends_call):
            return None
        ready = use.turn + self.turns + 1
        return (
            Hold(f"an unresolved error of the last {self.turns} turns", turn=ready) if view.turn < ready else None
        )
