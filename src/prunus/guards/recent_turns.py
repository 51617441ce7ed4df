from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class RecentTurns:
    """The newest turns stay whole ("turn protection")."""

    name: ClassVar[str] = "recent_turns"
    turns: int = 0
    """How many of the newest turns stay whole, in addition to the current one."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        ready = view.turn_of(edit.target) + self.turns
        if self.turns and view.turn < ready:
            return Hold(f"younger than {self.turns} turns", turn=ready)
        return None
