"""The retention priority of each part, as the ACP plugin defines it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from prunus.history import Call, Marker, Opaque, Ref, Result, Text, Thinking
from prunus.view.guide import RECENT, advise, in_work
from prunus.view.todos import Colour
from prunus.view.uses import Use
from prunus.view.view import View

Priority = Literal["critical", "important", "ephemeral", "temporary"]

PRIORITIES: Final[dict[Priority, str]] = {
    "critical": "the user's instructions, the newest todo list, the current task: never cut",
    "important": "files being edited, recent results, recent conclusions",
    "ephemeral": "older results, finished analysis, older reasoning",
    "temporary": "failed attempts, superseded content, bookkeeping",
}

MARKS: Final[dict[Priority, str]] = {"critical": "🔴", "important": "🟡", "ephemeral": "🟢", "temporary": "⚫"}
"""The colour of each priority."""

Standing = Literal["critical", "important", "ephemeral", "disposable", "temporary"]
"""The order in which parts go when the context runs short: ephemeral ones that the content type guide calls
disposable go before the others."""

_COLOURED: Final[dict[Colour, Priority]] = {
    "🔴": "critical",
    "🟡": "important",
    "🟢": "ephemeral",
    "🔵": "temporary",
}
"""The priority of content that a coloured item of the todo list names."""


def priority(ref: Ref, view: View, *, superseded: bool) -> Priority:
    """Return the retention priority of one part; `superseded` says that a strategy found it dispensable."""
    use = view.by_ref.get(ref)
    if use is not None:
        return _priority_of(use, view, superseded=superseded)
    shape = view.shapes[ref.message]
    kind = shape.kinds[ref.part]
    if kind in (Call, Result) or (kind is Text and shape.role != "assistant"):
        return "critical"
    if kind is Marker:
        return "temporary"
    if kind is Opaque:
        return "critical" if shape.definitions else "important"
    colour = view.colour_of(ref)
    if colour is not None:
        return _COLOURED[colour]
    if kind is Thinking:
        recent = view.loops[ref.message] >= view.loop
    else:
        recent = view.turn - view.turn_of(ref) < RECENT
    return "important" if recent else "ephemeral"


def by_priority(
    view: View, superseded: Callable[[Ref], bool], saved: Callable[[Ref], int] = lambda ref: 0
) -> dict[Priority, int]:
    """Return the tokens of each priority; `saved` gives the tokens that edits removed from a part."""
    tokens: dict[Priority, int] = dict.fromkeys(PRIORITIES, 0)
    for index, shape in enumerate(view.shapes):
        for number, weight in enumerate(shape.tokens):
            ref = Ref(index, number)
            tokens[priority(ref, view, superseded=superseded(ref))] += weight - saved(ref)
    return tokens


def _priority_of(use: Use, view: View, *, superseded: bool) -> Priority:
    """Return the retention priority of a call and its result."""
    recent = view.turn - use.turn < RECENT
    if use.meaning.kind == "todo" and view.is_newest(use):
        return "critical"
    colour = view.colour_of(use.result)
    if colour is not None:
        return _COLOURED[colour]
    if superseded or not use.ok:
        return "temporary"
    return "important" if recent or in_work(use, view) else "ephemeral"


def standing(ref: Ref, view: View) -> Standing:
    """Return the standing of a marked part, which says when it goes under pressure."""
    rank = priority(ref, view, superseded=False)
    return "disposable" if rank == "ephemeral" and advise(ref, view).action == "discard" else rank
