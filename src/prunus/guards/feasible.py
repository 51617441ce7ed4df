"""Guards against edits that cannot be made, were made already, or save nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from prunus.edits import Gone, Note, Proposal, Shorter
from prunus.guards.guard import Hold
from prunus.history import Call, Opaque, Result, Thinking
from prunus.view.uses import Use
from prunus.view.view import View

_OBJECT: Final = len('{"output":""}')
"""Characters around a text that replaces a JSON object."""


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
    return use.size - _OBJECT if view.result(use).shape == "object" else use.size


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
        # An item that Prunus does not read is a call of a tool of the provider, or refers to a call.
        if following < len(view.turns) and any(isinstance(p, Call | Opaque) for p in view.message(following).parts):
            return Hold("the call behind it needs its reasoning")
        return None
