"""The content type guide: advice for each part of a request, by its type and age.

The guide advises agents and people. Prunus does not prune a part because of the guide alone. But the bulk target
`old` of `context_prune` means the parts that the guide calls disposable, and these parts go first when the context
runs short.

| content | age | action |
|---|---|---|
| a file that was just read | current | keep |
| a file that was read 5 turns ago or more | old | discard, it can be read again |
| reasoning | any | distill, keep the conclusion |
| an error | current | keep, for debugging |
| an error of 3 turns ago or more | old | auto-pruned |
| the todo list | current | keep, critical state |
| an older todo list | old | superseded, auto-pruned |

The guide treats results of other tools like files: the agent can call the tool again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from prunus.history import Attachment, Call, Marker, Ref, Result, Text, Thinking
from prunus.view.todos import Colour
from prunus.view.uses import Use
from prunus.view.view import View

Action = Literal["keep", "discard", "distill", "auto"]
"""The recommended action; `auto` means that Prunus prunes the part by itself."""

ACTIONS: Final[dict[Action, str]] = {
    "keep": "keep",
    "discard": "discard",
    "distill": "distill",
    "auto": "auto-pruned",
}
"""Each action as shown to people."""
RECENT: Final = 5
"""A result counts as current for this many turns."""
FAILED: Final = 3
"""An error counts as current for this many turns."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The recommended action for a part, and the reason."""

    action: Action
    why: str

    def __str__(self) -> str:
        return f"{ACTIONS[self.action]}: {self.why}"


_COLOURED: Final[dict[Colour, Advice]] = {
    "🔴": Advice("keep", "a 🔴 item of the todo list names it"),
    "🟡": Advice("keep", "a 🟡 item of the todo list names it"),
    "🔵": Advice("discard", "a 🔵 item of the todo list names it"),
}


def advise(ref: Ref, view: View, *, superseded: bool = False) -> Advice:
    """Return the advice for a part; `superseded` says that a strategy found newer content in its place."""
    use, colour = view.by_ref.get(ref), view.colour_of(ref)
    if use is not None:
        return _advise_use(use, view, colour, superseded=superseded)
    if colour in _COLOURED:
        return _COLOURED[colour]
    shape = view.shapes[ref.message]
    kind = shape.kinds[ref.part]
    current = view.turn - view.turn_of(ref) < RECENT
    if kind in (Call, Result):
        return Advice("keep", "it is not answered yet")
    if kind is Text and shape.role != "assistant":
        return Advice("keep", f"{shape.role} instructions")
    if kind is Text:
        return Advice("keep", "current") if current else Advice("distill", "keep the conclusion")
    if kind is Thinking:
        return Advice("distill", "keep the conclusion")
    if kind is Marker:
        return Advice("auto", "bookkeeping")
    if kind is Attachment:
        return Advice("keep", "just attached") if current else Advice("discard", "can be attached again")
    return Advice("keep", "Prunus cannot read it")


def by_action(
    view: View, superseded: Callable[[Ref], bool], saved: Callable[[Ref], int] = lambda ref: 0
) -> dict[Action, int]:
    """Return the tokens under each action; `saved` returns the tokens that edits removed from a part."""
    tokens: dict[Action, int] = dict.fromkeys(ACTIONS, 0)
    for index, shape in enumerate(view.shapes):
        for number, weight in enumerate(shape.tokens):
            ref = Ref(index, number)
            tokens[advise(ref, view, superseded=superseded(ref)).action] += weight - saved(ref)
    return tokens


def _advise_use(use: Use, view: View, colour: Colour | None, *, superseded: bool) -> Advice:
    """Return the advice for a call and its result."""
    age = view.turn - use.turn
    kind = use.meaning.kind
    if kind == "todo":
        return Advice("keep", "critical state") if view.is_newest(use) else Advice("auto", "superseded")
    if colour in _COLOURED:
        return _COLOURED[colour]
    if superseded:
        return Advice("auto", "superseded")
    if not use.ok:
        return Advice("keep", "debugging") if age < FAILED else Advice("auto", f"error of {age} turns ago")
    if age < RECENT:
        return Advice("keep", "just read" if kind == "read" else "recent")
    if in_work(use, view):
        return Advice("keep", "its file is being edited")
    if kind == "read":
        return Advice("discard", "can re-read")
    if kind in ("write", "edit"):
        return Advice("keep", "work that was done")
    return Advice("discard", "old output")


def in_work(use: Use, view: View) -> bool:
    """Return whether a file that the call read or changed was changed within the last `RECENT` turns."""
    for touch in use.touches:
        newest = view.newest_touch(touch.path, ("edit", "write"))
        if newest >= 0 and view.turn - view.uses[newest].turn < RECENT:
            return True
    return False
