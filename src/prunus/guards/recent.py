"""Guards of content that may go only later: the current turn, the newest turns, errors and reasoning in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.view import View

_OLD_ERRORS: Final = "old_errors"
_USUAL: Final = 3


@dataclass(frozen=True, slots=True)
class SameTurn:
    """The current turn and the newest result stay, and no call replaces another of the same turn."""

    name: ClassVar[str] = "same_turn"

    early: bool = False
    """Allow edits that are meant to be made before a part is first sent; the schedule `cache` always allows
    them."""

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
class RecentTurns:
    """The newest turns stay whole ("turn protection")."""

    name: ClassVar[str] = "recent_turns"
    turns: int = 0
    """How many of the newest turns stay whole, in addition to the current one."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        ready = view.turn_of(edit.target) + self.turns
        if self.turns and view.turn < ready:
            return Hold(f"younger than {self.turns} turns", turn=ready)
        return None


@dataclass(frozen=True, slots=True)
class UnresolvedErrors:
    """A failed call stays whole for some turns, unless a successful retry came first.

    The strategy `old_errors` has limits of its own. This guard holds its edits only if `turns` is more than 3.
    """

    name: ClassVar[str] = "unresolved_errors"

    turns: int = _USUAL
    """For how many turns a failed call stays whole."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is None or use.ok or edit.when.requested_by or (edit.cause and edit.ends_call):
            return None
        if edit.strategy == _OLD_ERRORS and self.turns <= _USUAL:
            return None
        ready = use.turn + self.turns + 1
        if view.turn < ready:
            return Hold(f"an unresolved error of the last {self.turns} turns", turn=ready)
        return None


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """The reasoning of the current tool loop stays, as providers require."""

    name: ClassVar[str] = "open_loop"

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        if not view.in_open_loop(edit.target):
            return None
        loop = view.loops[edit.target.message]
        return Hold("reasoning of the tool loop that is still open", loop=loop + 1)
