from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.history import Call, Result
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class OpenCalls:
    """A call without a result, or a result without a call, is not changed."""

    name: ClassVar[str] = "open_calls"

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        part = view.part(edit.target)
        if isinstance(part, Call | Result) and edit.target not in view.by_ref:
            return Hold("the call and its result are not both there")
        if isinstance(part, Result) and part.at == ():
            return Hold("it has no content that could be changed")
        return None
