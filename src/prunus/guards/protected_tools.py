from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class ProtectedTools:
    """Calls of some tools are never cut, and calls of some tools never replace other calls."""

    name: ClassVar[str] = "protected_tools"

    victims: tuple[str, ...] = ()
    """Tools whose calls and results are never cut; `*` and `?` are wildcards."""
    triggers: tuple[str, ...] = ()
    """Tools whose calls never replace other calls."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        target = view.by_ref.get(edit.target)
        if target is not None and _matches(target.tool, self.victims):
            return Hold(f"{target.tool} is protected")
        trigger = view.by_ref.get(edit.cause) if edit.cause is not None else None
        if trigger is not None and _matches(trigger.tool, self.triggers):
            return Hold(f"{trigger.tool} may not replace others")
        return None

    def mutes(self, use: Use) -> bool:
        """Whether a call may replace no others."""
        return _matches(use.tool, self.triggers)


def _matches(tool: str, patterns: tuple[str, ...]) -> bool:
    return bool(patterns) and any(fnmatchcase(tool, pattern) for pattern in patterns)
