from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class AlreadyCompacted:
    """Content that the agent has truncated, or that Prunus cut in an earlier pass, is not cut again."""

    name: ClassVar[str] = "already_compacted"

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is None:
            return None
        if use.compacted:
            return Hold("the host has compacted it")
        if edit.target != use.result:
            return None
        if use.folded and not edit.when.requested_by:
            return Hold("a view of its file stands there already")
        return Hold("a note stands there already") if use.cut else None
