"""The changes that the arguments of a call spell out, as the changelog counts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from prunus.calls import Meaning, changes
from prunus.calls.changes import changes_of
from prunus.changelog.changes import Action, Change, Piece, Undo
from prunus.patches import Hunk, Patched, patched_files

__all__ = ["from_arguments", "from_patch"]

_MOST: Final = 100_000
"""Lines that one change may count as removed; no real edit names more."""


def from_arguments(given: Mapping[str, Any] | str, meaning: Meaning, path: str) -> tuple[Action, ...]:
    """What a call of a writing or editing tool does; the path is the file that it names, if it names one."""
    found = changes_of(given, meaning)
    if patches := [change for change in found if isinstance(change, changes.Patch)]:
        return tuple(_patched(file) for patch in patches for file in patch.files)
    if not path:
        return ()
    match found:
        case (changes.Undo(),):
            return (Undo(path),)
        case (changes.Write(text),):
            return (Change(path, "written", whole=text, exact=text is not None),)
    pieces = tuple(piece for change in found if (piece := _piece(change)) is not None)
    clear = bool(pieces) and not any(isinstance(change, changes.Unclear) for change in found)
    return (Change(path, "edited", pieces, exact=clear),)


def from_patch(text: str) -> tuple[Change, ...]:
    """The changes of a patch by the paths that it writes; empty if the text is no patch."""
    return tuple(map(_patched, patched_files(text)))


def _piece(change: changes.Change) -> Piece | None:
    match change:
        case changes.Replace(old, new, every):
            return Piece(old, new, every)
        case changes.Insert(_, text):
            return Piece("", text)
        case changes.Lines(start, end, text):
            # Nobody has shown these lines; they count, and equal no others.
            return Piece("\0\n" * max(min(end - start + 1, _MOST), 0), text)
        case changes.Unclear(text) if text:
            return Piece("", text)
    return None


def _patched(file: Patched) -> Change:
    pieces = tuple(_hunk(hunk) for hunk in file.hunks if hunk.old != hunk.new)
    match file.verb:
        case "Add":
            return Change(file.path, "written", whole=file.text)
        case "Delete":
            return Change(file.path, "deleted", pieces)
    if file.target and file.target != file.path:
        return Change(file.target, "renamed", pieces, source=file.path)
    return Change(file.path, "edited", pieces)


def _hunk(hunk: Hunk) -> Piece:
    return Piece("\n".join(hunk.old), "\n".join(hunk.new))
