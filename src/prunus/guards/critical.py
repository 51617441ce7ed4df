from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.history import Text
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class Critical:
    """The user's words, the system's text and the newest todo list are never touched, nor what its 🔴 items name.

    Of an old message of the user only fenced code may be shortened, and what the agent itself replaces.

    An item of the newest todo list that is marked 🔴 names what must stay: a file, a line of a file
    (`src/app.py:42`), a part by its id, or words in quotation marks that stand in the part. It stays whatever finds
    it dispensable, the agent and pressure included, until a newer list no longer has the item.
    """

    name: ClassVar[str] = "critical"

    colours: bool = True
    """Whether what 🔴 items name must stay."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is not None:
            newest = view.newest.get((use.meaning.kind, use.meaning.key)) == use.index
            if use.meaning.kind == "todo" and newest:
                return Hold("the newest todo list", uses=len(view.uses) + 1)
        if self.colours and view.colour_of(edit.target) == "🔴":
            return Hold("a 🔴 item of the todo list names it")
        if use is not None:
            return None
        message = view.message(edit.target.message)
        if message.role == "assistant" or not isinstance(message.parts[edit.target.part], Text):
            return None
        if message.role == "user" and (edit.when.requested_by or edit.only_code):
            return None
        return Hold("the words of the user" if message.role == "user" else "the text of the system")
