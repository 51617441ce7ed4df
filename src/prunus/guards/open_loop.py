from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """The reasoning of the current tool loop stays, as providers require."""

    name: ClassVar[str] = "open_loop"

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        if not view.in_open_loop(edit.target):
            return None
        loop = view.loops[edit.target.message]
        return Hold("reasoning of the tool loop that is still open", loop=loop + 1)
