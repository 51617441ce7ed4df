from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from prunus.edits import Note, Proposal, Shorter
from prunus.guards.guard import Hold
from prunus.history import Result
from prunus.view.uses import Use
from prunus.view.view import View

_OBJECT: Final = len('{"output":""}')
"""Characters around a text that replaces a JSON object."""


@dataclass(frozen=True, slots=True)
class MinimumGain:
    """An edit whose replacement is not shorter than the original is not made."""

    name: ClassVar[str] = "minimum_gain"

    tokens: int = 1
    """Edits that save fewer tokens are not made."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        if edit.covers:
            return None
        if edit.saved < self.tokens:
            return Hold(f"it would save {edit.saved} tokens, less than {self.tokens}", too_small=True)
        use = view.by_ref.get(edit.target)
        if use is None or edit.target != use.result or edit.tokens_before != use.tokens:
            return None
        match edit.replacement:
            case Note(text) | Shorter(text) if len(text) >= use.size - _OBJECT and len(text) >= _room(use, view):
                return Hold("what would stand there has as many characters", too_small=True)
        return None


def _room(use: Use, view: View) -> int:
    """The characters that a text has to stay below so that it is shorter than the result of a call."""
    part = view.part(use.result)
    return use.size - _OBJECT if isinstance(part, Result) and part.shape == "object" else use.size
