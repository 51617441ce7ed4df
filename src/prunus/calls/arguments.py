"""The changes that the arguments of a writing or editing call ask for.

The row of a tool may name the arguments that hold the old text, the new text, the whole content or a list of
edits. For a row that names none, the usual names of these arguments are tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from prunus.calls.changes import (
    FileChange,
    Insert,
    Lines,
    Patched,
    Replace,
    Unclear,
    Undo,
    Write,
    patched_files,
    search_blocks,
)
from prunus.calls.meaning import Meaning, Tool
from prunus.clients.dialect import inner_call
from prunus.text.numbers import as_number

_WHOLE: Final = ("content", "file_text", "contents", "text", "CodeContent", "file_content")
_OLD: Final = ("old_string", "oldString", "old_str", "oldText", "old_text", "old", "search", "TargetContent")
_NEW: Final = (
    "new_string", "newString", "new_str", "newText", "new_text", "new", "replace", "replacement",
    "ReplacementContent",
)  # fmt: skip
_LISTS: Final = ("edits", "replacements", "ReplacementChunks", "edit")
_EVERY: Final = ("replace_all", "replaceAll", "allow_multiple", "AllowMultiple")
_INSERTED: Final = ("insert_text", "new_str", "text", "content")
_PATCHES: Final = ("input", "patch", "patchText", "diff")
_SKETCHES: Final = ("code_edit", "new_source", "code")
_PATHS: Final = (
    "file_path", "filePath", "path", "target_file", "TargetFile", "filename", "file", "notebook_path"
)  # fmt: skip
_ELSEWHERE: Final = ("repo", "repository", "owner", "bucket")
_EDIT_COMMAND: Final = re.compile(r"\s*edit\s+(\d+):(\d+)\n(.*?)\n?(?:end_of_edit\s*\Z|\Z)", re.S)
_INSERT_COMMAND: Final = re.compile(r"\s*insert\s+(\d+)[ \t]*\n?(.*?)\n?(?:end_of_insert\s*\Z|\Z)", re.S)


def changes_of(given: Mapping[str, Any] | str, meaning: Meaning) -> tuple[FileChange, ...]:
    """The changes that a call asks for, in order; empty where its arguments spell out none."""
    row = meaning.row or _ANY
    if patched := _patched(given, meaning.command, row):
        return patched
    if isinstance(given, str):
        return ()
    if given.get("command") == "undo_edit":
        return (Undo(),)
    if (numbered := _numbered(given)) is not None:
        return (numbered,)
    if meaning.kind == "write":
        return (Write(_text(given, _named(row.content, _WHOLE))),)
    return tuple(_edits(given, row))


def edited_path(given: Mapping[str, Any] | str) -> str:
    """The file that an unknown tool edits, where its arguments name a path, an old text and a new one."""
    if isinstance(given, str) or any(key in given for key in _ELSEWHERE):
        return ""
    spelled = _text(given, _OLD) is not None and _text(given, _NEW) is not None
    return (_text(given, _PATHS) or "") if spelled else ""


_ANY: Final = Tool("*", "edit")


def _patched(given: Mapping[str, Any] | str, command: str, row: Tool) -> tuple[Patched, ...]:
    """The files of the patch that a call carries: as an argument, as its only text, in a command, in a script."""
    if isinstance(given, str):
        texts: list[Any] = [given]
    else:
        words = given.get("command")
        texts = [*(given.get(key) for key in _named(row.patch, _PATCHES)), command]
        texts += words if isinstance(words, list) else ()
    for text in texts:
        if not isinstance(text, str):
            continue
        if "tools.apply_patch(" in text and (inner := inner_call(text)) is not None:
            said = inner.arguments if isinstance(inner.arguments, str) else inner.arguments.get("input")
            text = said if isinstance(said, str) else ""
        if files := patched_files(text):
            return files
    return ()


def _numbered(given: Mapping[str, Any]) -> FileChange | None:
    """An edit of lines by their numbers, which does not say what the lines were."""
    command = given.get("command")
    if isinstance(command, str) and (found := _EDIT_COMMAND.match(command)):
        return Lines(as_number(found[1]), as_number(found[2]), found[3])
    if isinstance(command, str) and (found := _INSERT_COMMAND.match(command)):
        return Insert(as_number(found[1]), found[2])
    if isinstance(text := given.get("replacement_text"), str):
        start, end = _number(given.get("start_line")), _number(given.get("end_line"))
        return Unclear(text) if start is None or end is None else Lines(start or 1, end or 1, text)
    if "line" in given and isinstance(text := given.get("text"), str):
        return Insert(_number(given["line"]), text)
    return None


def _edits(given: Mapping[str, Any], row: Tool) -> Iterator[FileChange]:
    for key in _named(row.edits, _LISTS):
        listed = given.get(key)
        if isinstance(listed, (list, Mapping)):
            for inner in [listed] if isinstance(listed, Mapping) else listed:
                yield from _edits(inner, row) if isinstance(inner, Mapping) else (Unclear(),)
            return
    if isinstance(diff := given.get("diff"), str) and (blocks := search_blocks(diff)):
        yield from (Replace(old, new) for old, new in blocks)
        return
    old, new = _text(given, _named(row.old, _OLD)), _text(given, _named(row.new, _NEW))
    line = _number(given.get("insert_line"))
    if given.get("command") == "insert" or (line is not None and old is None):
        yield Insert(line, _text(given, _INSERTED) or "")
    elif old is not None:
        yield Replace(old, new or "", _everywhere(given))
    elif (sketch := _text(given, _SKETCHES)) is not None or new is not None:
        yield Unclear(sketch or new or "")


def _everywhere(given: Mapping[str, Any]) -> bool:
    if any(given.get(key) in (True, "true") for key in _EVERY):
        return True
    # Such a tool replaces as many occurrences as the call tells it to expect.
    return _number(given.get("expected_replacements")) not in (None, 1)


def _named(own: str, usual: tuple[str, ...]) -> tuple[str, ...]:
    return (own,) if own else usual


def _text(given: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = given.get(key)
        if isinstance(value, str):
            return value
        if key in ("content", "contents") and isinstance(value, list) and all(isinstance(v, str) for v in value):
            return "\n".join(value)
    return None


def _number(value: Any) -> int | None:
    try:
        return int(value) if value is not None and not isinstance(value, bool) else None
    except (TypeError, ValueError, OverflowError):
        return None
