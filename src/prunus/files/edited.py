"""The edits of one file as a diff, from what the calls themselves say: the ground truth of a compressed run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prunus.files.arguments import Insertion, Replacement, Splice, Whole, asked, patch_in
from prunus.history import Call
from prunus.tools import Meaning

__all__ = ["edit_lines"]


def edit_lines(call: Call, meaning: Meaning, turn: int) -> Iterator[str]:
    """One writing or editing call as a hunk: what it took away, what it brought, and what it was for."""
    intent = call.input.get("intent") if isinstance(call.input, Mapping) else None
    why = f": {' '.join(intent.split())}" if isinstance(intent, str) and intent.strip() else ""
    yield f"@@ turn {turn}, {meaning.kind}{why} @@"
    patch = patch_in(call, meaning.command)
    if "*** Begin Patch" in patch:
        yield from patch.splitlines()
        return
    changes = asked(call, writes=meaning.kind == "write")
    if changes is None:
        yield from call.text.splitlines()
        return
    for change in changes:
        match change:
            case Replacement(old, new):
                yield from _signed("-", old)
                yield from _signed("+", new)
            case Whole(text) | Insertion(text=text) | Splice(text=text):
                yield from _signed("+", text)


def _signed(sign: str, text: str) -> Iterator[str]:
    return (sign + line for line in text.split("\n")) if text else iter(())
