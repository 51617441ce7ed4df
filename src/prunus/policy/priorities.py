"""How much each part matters: the seeds' hierarchy of retention."""

from __future__ import annotations

from typing import Final, Literal

from prunus.history import Attachment, Call, Marker, Message, Opaque, Ref, Result, Text, Thinking
from prunus.view import Use, View

__all__ = ["PRIORITIES", "Priority", "priority", "priority_of"]

Priority = Literal["critical", "important", "ephemeral", "temporary"]

PRIORITIES: Final[dict[Priority, str]] = {
    "critical": "the user's instructions, the newest todo list, the current task: never cut",
    "important": "files being edited, recent results, recent conclusions",
    "ephemeral": "older results, finished analysis, older reasoning",
    "temporary": "failed attempts, superseded content, bookkeeping",
}

RECENT: Final = 5
"""Turns that count as recent."""


def priority(ref: Ref, message: Message, view: View, *, superseded: bool) -> Priority:
    """The retention priority of one part; `superseded` where a strategy found it dispensable."""
    part = message.parts[ref.part]
    recent = view.turn - view.turn_of(ref) < RECENT
    match part:
        case Call() | Result():
            use = view.by_ref.get(ref)
            return "critical" if use is None else priority_of(use, view, superseded=superseded)
        case Text():
            if message.role != "assistant":
                return "critical"
        case Marker():
            return "temporary"
        case Opaque():
            return "critical" if message.definitions else "important"
        case Thinking():
            recent = view.loops[ref.message] >= view.loop
        case Attachment():
            pass
    return "important" if recent else "ephemeral"


def priority_of(use: Use, view: View, *, superseded: bool = False) -> Priority:
    """The retention priority of a call and its result."""
    meaning = use.meaning
    recent = view.turn - use.turn < RECENT
    if meaning.kind == "todo" and view.newest.get((meaning.kind, meaning.key)) == use.index:
        return "critical"
    if superseded or not use.ok:
        return "temporary"
    return "important" if recent or any(_in_work(touch.path, view) for touch in use.touches) else "ephemeral"


def _in_work(path: str, view: View) -> bool:
    """Whether a file was changed a short while ago."""
    newest = max(view.touched.get((kind, path), -1) for kind in ("edit", "write"))
    return newest >= 0 and view.turn - view.uses[newest].turn < RECENT
