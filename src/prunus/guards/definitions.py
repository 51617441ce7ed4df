from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class Definitions:
    """Content that carries tool definitions is never cut, because the model would lose the tools."""

    name: ClassVar[str] = "definitions"

    tools: tuple[str, ...] = ("ToolSearch", "tool_search")
    """Tools whose results contain tool definitions."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is not None and (use.defines or use.tool in self.tools):
            return Hold("it brings tool definitions")
        if view.shapes[edit.target.message].definitions:
            return Hold("the item carries tool definitions")
        return None
