"""Which tools the edits of a request belong to."""

from __future__ import annotations

from collections.abc import Iterable

from prunus.edits import Edit
from prunus.history import Call, History, Ref, Result

__all__ = ["tool_names"]


def tool_names(history: History, edits: Iterable[Edit]) -> tuple[str, ...]:
    """The tool of each call that the edits cut, in order; a call counts once, however much of it went."""
    calls = _calls(history)
    cut = {calls[edit.target] for edit in edits if edit.target in calls}
    return tuple(tool for _, tool in sorted(cut))


def _calls(history: History) -> dict[Ref, tuple[Ref, str]]:
    """The call behind each call and result, with its tool."""
    found: dict[Ref, tuple[Ref, str]] = {}
    newest: dict[str, tuple[Ref, str]] = {}
    for i, message in enumerate(history.messages):
        for k, part in enumerate(message.parts):
            ref = Ref(i, k)
            if isinstance(part, Call):
                # Some models count their ids anew in each turn, so a result belongs to the newest call.
                found[ref] = newest[part.id] = (ref, part.tool)
            elif isinstance(part, Result) and part.id in newest:
                found[ref] = newest[part.id]
    return found
