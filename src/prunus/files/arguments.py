"""What the arguments of a writing or editing call say about the new content of its file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from prunus.history import Call
from prunus.numbers import as_number

__all__ = ["Insertion", "Replacement", "Splice", "Whole", "asked", "patch_in"]

_WHOLE: Final = ("content", "file_text", "contents", "CodeContent", "text")
_OLD: Final = ("old_string", "oldString", "oldText", "old_text", "old_str", "old")
_NEW: Final = ("new_string", "newString", "newText", "new_text", "new_str", "new")
_EVERY: Final = ("replace_all", "replaceAll", "allow_multiple")
_LISTS: Final = ("edits", "edit")
_SWE_EDIT: Final = re.compile(r"\s*edit (\d+):(\d+)\n(.*?)\n?end_of_edit\s*\Z", re.S)


@dataclass(frozen=True, slots=True)
class Whole:
    """The file holds this text from now on."""

    text: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """One text stands where another stood."""

    old: str
    new: str
    every: bool = False


@dataclass(frozen=True, slots=True)
class Insertion:
    """Lines come behind a line; behind line 0 is the front."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Splice:
    """Lines stand where others stood, by number."""

    start: int
    end: int
    text: str


Change = Whole | Replacement | Insertion | Splice


def asked(call: Call, writes: bool) -> tuple[Change, ...] | None:
    """The changes that a call asks for, in order; None if they cannot be followed."""
    given = call.input
    if isinstance(given, str):
        return None
    if isinstance(command := given.get("command"), str) and (edit := _SWE_EDIT.match(command)):
        return (Splice(as_number(edit[1]), as_number(edit[2]), edit[3]),)
    if isinstance(text := given.get("replacement_text"), str):
        lines = _number(given.get("start_line")), _number(given.get("end_line"))
        return None if None in lines else (Splice(lines[0] or 1, lines[1] or 1, text),)
    if writes:
        text = next((given[key] for key in _WHOLE if isinstance(given.get(key), str)), None)
        return None if text is None else (Whole(text),)
    line = _number(given.get("insert_line"))
    if line is not None and (given.get("command") == "insert" or "old_str" not in given):
        text = given.get("new_str", given.get("insert_text"))
        return (Insertion(line, text),) if isinstance(text, str) else None
    for key in _LISTS:
        several = given.get(key)
        if isinstance(several, list):
            return _several(several, call.tool)
        if isinstance(several, Mapping):
            return _several([several], call.tool)
    return _several([given], call.tool)


def _several(items: list[Any], tool: str) -> tuple[Change, ...] | None:
    found = [_replacement(item, tool) for item in items]
    changes = tuple(change for change in found if change is not None)
    return changes if changes and len(changes) == len(found) else None


def _replacement(given: Any, tool: str) -> Replacement | None:
    if not isinstance(given, Mapping):
        return None
    old = next((given[key] for key in _OLD if isinstance(given.get(key), str)), None)
    new = next((given[key] for key in _NEW if isinstance(given.get(key), str)), None)
    if new is None and old is not None and given.get("command") == "str_replace":
        new = ""
    if old is None or new is None:
        return None
    every = any(given.get(key) in (True, "true") for key in _EVERY)
    # Gemini CLI replaces as many occurrences as it was told to expect.
    every = every or _number(given.get("expected_replacements")) not in (None, 1)
    return Replacement(old, new, every)


def _number(value: Any) -> int | None:
    try:
        return int(value) if value is not None and not isinstance(value, bool) else None
    except (TypeError, ValueError, OverflowError):
        return None


def patch_in(call: Call, command: str) -> str:
    """The apply_patch envelope that a call carries; empty if there is none, or more than one."""
    texts = [call.input] if isinstance(call.input, str) else [v for v in call.input.values() if isinstance(v, str)]
    found = [text for text in texts if "*** Begin Patch" in text] or [command]
    patch = found[0]
    return patch if patch.count("*** Begin Patch") == 1 else ""
