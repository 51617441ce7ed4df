from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class SameTurn:
    """The current turn and the newest result stay, and no call replaces another of the same turn."""

    name: ClassVar[str] = "same_turn"

    early: bool = False
    """Allow edits that are meant to be made before a part is first sent; the schedule `cache` always allows
    them."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        if edit.when.before_first_send and self.early:
            return None
        turn = view.turn_of(edit.target)
        if turn >= view.turn:
            return Hold("part of the current turn", turn=view.turn + 1)
        use = view.by_ref.get(edit.target)
        if use is not None and use.index == len(view.uses) - 1 and not edit.when.requested_by:
            return Hold("the newest result", uses=len(view.uses) + 1)
        if edit.cause is not None and view.turn_of(edit.cause) == turn:
            return Hold("made in the same turn as the call that replaces it")
        return None
