from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Edit
from prunus.guards.guard import Hold
from prunus.history import Call, Result
from prunus.view import View

__all__ = ["OpenCalls"]


@dataclass(frozen=True, slots=True)
class OpenCalls:
    """A call without a result, or a result without a call, is left as it is."""

    name: ClassVar[str] = "open_calls"

    def hold(self, edit: Edit, view: View) -> Hold | None:
        if edit.target in view.by_ref or not isinstance(view.part(edit.target), Call | Result):
            return None
        return Hold("the call and its result are not both there")
