from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Gone, Proposal
from prunus.guards.guard import Hold
from prunus.history import Call, Thinking
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class BoundReasoning:
    """A reasoning item right before its call stays with the call (Responses API)."""

    name: ClassVar[str] = "bound_reasoning"

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        if not isinstance(edit.replacement, Gone):
            return None
        target = view.part(edit.target)
        if not isinstance(target, Thinking) or target.at != ():
            return None
        following = edit.target.message + 1
        if following < len(view.turns) and any(isinstance(p, Call) for p in view.message(following).parts):
            return Hold("the call behind it needs its reasoning")
        return None
