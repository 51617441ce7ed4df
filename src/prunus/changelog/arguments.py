"""The changes that the arguments of an edit tool spell out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from prunus.changelog.changes import Action, Change, Piece, Undo
from prunus.changelog.patches import blocks, from_patch
from prunus.numbers import as_number

__all__ = ["from_arguments", "path_in"]

_PATHS: Final = (
    "file_path", "filePath", "path", "target_file", "TargetFile", "filename", "file", "notebook_path"
)  # fmt: skip
_OLD: Final = ("old_string", "oldString", "old_str", "oldText", "old_text", "old", "search", "TargetContent")
_NEW: Final = (
    "new_string", "newString", "new_str", "newText", "new_text", "new", "replace", "replacement",
    "ReplacementContent",
)  # fmt: skip
_INSERTED: Final = ("insert_text", "new_str", "text", "content")
_WHOLE: Final = ("content", "file_text", "contents", "text", "CodeContent", "file_content")
_PATCHES: Final = ("input", "patch", "patchText", "diff")
_LISTS: Final = ("edits", "replacements", "ReplacementChunks", "edit")
_EVERYWHERE: Final = ("replace_all", "replaceAll", "allow_multiple", "AllowMultiple")
_SKETCHES: Final = ("code_edit", "new_source", "code")
_ELSEWHERE: Final = ("repo", "repository", "owner", "bucket")
_LINES: Final = re.compile(r"\s*edit\s+(\d+):(\d+)\n(.*?)(?:\nend_of_edit|\Z)", re.S)
_INSERT: Final = re.compile(r"\s*insert\s+\d+[ \t]*\n?(.*?)(?:\nend_of_insert|\Z)", re.S)


def from_arguments(given: Mapping[str, Any] | str, kind: str, path: str) -> tuple[Action, ...]:
    """What a call of a writing or editing tool does; the path is the file that it names, if it names one."""
    if isinstance(given, str):
        return from_patch(given)
    if given.get("command") == "undo_edit":
        return (Undo(path),)
    for key in _PATCHES:
        text = given.get(key)
        if isinstance(text, str) and (patched := from_patch(text)):
            return patched
    if not path:
        return ()
    if kind == "write":
        whole = _text(given, _WHOLE)
        return (Change(path, "written", whole=whole, exact=whole is not None),)
    pieces = tuple(_pieces(given))
    return (Change(path, "edited", pieces, exact=bool(pieces) and not _text(given, _SKETCHES)),)


def path_in(given: Mapping[str, Any] | str) -> str:
    """The file that a tool of somebody's own edits, told by its arguments: a path, what was there, what comes."""
    if isinstance(given, str) or any(key in given for key in _ELSEWHERE):
        return ""
    spelled = _text(given, _OLD) is not None and _text(given, _NEW) is not None
    return (_text(given, _PATHS) or "") if spelled else ""


def _pieces(given: Mapping[str, Any]) -> Iterator[Piece]:
    everywhere = any(given.get(key) is True for key in _EVERYWHERE)
    old, new = _text(given, _OLD), _text(given, _NEW)
    for key in _LISTS:
        listed = given.get(key)
        if isinstance(listed, dict):
            listed = [listed]
        if isinstance(listed, list):
            for inner in listed:
                if isinstance(inner, Mapping):
                    yield from _pieces(inner)
            return
    diff = given.get("diff")
    if isinstance(diff, str) and (replaced := blocks(diff)):
        yield from replaced
    elif old is not None:
        yield Piece(old, new or "", everywhere)
    elif given.get("command") == "insert" or "insert_line" in given:
        yield Piece("", _text(given, _INSERTED) or "")
    elif (lines := _numbered(given)) is not None:
        yield lines
    elif sketch := _text(given, _SKETCHES):
        yield Piece("", sketch)


def _numbered(given: Mapping[str, Any]) -> Piece | None:
    """SWE-agent's edits: lines by their numbers, which do not say what stood there."""
    text = given.get("replacement_text")
    first, last = given.get("start_line"), given.get("end_line")
    if isinstance(text, str) and isinstance(first, int) and isinstance(last, int) and last >= first:
        return _replaced(last - first + 1, text)
    command = given.get("command")
    if isinstance(command, str) and (found := _LINES.match(command)):
        return _replaced(max(as_number(found[2]) - as_number(found[1]) + 1, 0), found[3])
    if isinstance(command, str) and (found := _INSERT.match(command)):
        return Piece("", found[1])
    inserted = given.get("text") if "line" in given else None
    return Piece("", inserted) if isinstance(inserted, str) else None


def _replaced(count: int, text: str) -> Piece:
    # Nobody has shown these lines; they count, and equal no others.
    return Piece("\0\n" * count, text)


def _text(given: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = given.get(key)
        if isinstance(value, str):
            return value
        if key in ("content", "contents") and isinstance(value, list) and all(isinstance(v, str) for v in value):
            return "\n".join(value)
    return None
