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
        use = view.by_ref.get(edit.target)
        if use is None and view.kind(edit.target) in (Call, Result):
            return Hold("the call and its result are not both there")
        if use is not None and use.empty and edit.target == use.result:
            return Hold("it has no content that could be changed")
        return None
