from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.history import Text
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class Critical:
    """The user's words, the system text, the newest todo list, and what its 🔴 items name are never cut.

    In an old message of the user, only fenced code may be shortened. Text that the agent or the user asked to
    replace is an exception.

    A 🔴 item of the newest todo list names content that must stay: a file, a line of a file (`src/app.py:42`), a
    part by its id, or words in quotation marks that occur in the part. Neither a strategy nor the agent nor
    pressure can remove this content, until a newer list no longer has the item.
    """

    name: ClassVar[str] = "critical"

    colours: bool = True
    """Whether the content that 🔴 items name must stay."""

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
