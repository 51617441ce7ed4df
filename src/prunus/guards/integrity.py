"""What must stay so that the request remains valid and the model keeps its tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Gone, Proposal
from prunus.guards.guard import Hold
from prunus.history import Call, Result, Thinking
from prunus.view import View


@dataclass(frozen=True, slots=True)
class OpenCalls:
    """A call without a result, or a result without a call, is left as it is."""

    name: ClassVar[str] = "open_calls"

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        part = view.part(edit.target)
        if isinstance(part, Call | Result) and edit.target not in view.by_ref:
            return Hold("the call and its result are not both there")
        if isinstance(part, Result) and part.at == ():
            return Hold("it has no content that could be changed")
        return None


@dataclass(frozen=True, slots=True)
class Definitions:
    """What carries tool definitions is never touched: without it the model would lose the tools."""

    name: ClassVar[str] = "definitions"

    tools: tuple[str, ...] = ("ToolSearch", "tool_search")
    """Tools whose results bring definitions."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is not None and (use.defines or use.tool in self.tools):
            return Hold("it brings tool definitions")
        if view.message(edit.target.message).definitions:
            return Hold("the item carries tool definitions")
        return None


@dataclass(frozen=True, slots=True)
class AlreadyCompacted:
    """What the host has cut already, or Prunus in an earlier pass, is not cut again."""

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
class SameTurn:
    """Nothing of the current turn is touched, nor the newest result, nor a call by another of its own turn."""

    name: ClassVar[str] = "same_turn"

    early: bool = False
    """Let edits through that are meant to be made before a part is first sent; the schedule `cache` always does."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        if edit.when.before_first_send and self.early:
            return None
        turn = view.turn_of(edit.target)
        if turn >= view.turn:
            return Hold("part of the current turn", turn=view.turn + 1)
        use = view.by_ref.get(edit.target)
        if use is not None and use.index == len(view.uses) - 1 and not edit.when.requested_by:
            return Hold("the newest result", uses=len(view.uses) + 1)
        if edit.cause is not None and view.turn_of(edit.cause) == turn:
            return Hold("made in the same turn as the call that replaces it")
        return None


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """Reasoning of the tool loop that is still open stays, as providers demand."""

    name: ClassVar[str] = "open_loop"

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        if not view.in_open_loop(edit.target):
            return None
        loop = view.loops[edit.target.message]
        return Hold("reasoning of the tool loop that is still open", loop=loop + 1)


@dataclass(frozen=True, slots=True)
class BoundReasoning:
    """A reasoning item that stands right before its call stays with it (Responses API)."""

    name: ClassVar[str] = "bound_reasoning"

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        target = view.part(edit.target)
        if not isinstance(target, Thinking) or target.at != () or not isinstance(edit.replacement, Gone):
            return None
        following = edit.target.message + 1
        if following < len(view.turns) and any(isinstance(p, Call) for p in view.message(following).parts):
            return Hold("the call behind it needs its reasoning")
        return None
