"""What a call shows that it used: the lines it replaces, the files and the names it knows.

*hard*: lines of at least 12 characters that an edit replaces, or that a patch removes or names as context; and
files that a call reads, changes or lists, by the last two steps of their path, since the same file is named from
the root here and from the working folder there.
*soft*: identifiers of at least 8 characters anywhere in the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from prunus.history import Call
from prunus.lab.reading import strings
from prunus.tools import Toolbox
from prunus.tools.paths import normalise

__all__ = ["IDENTIFIER", "LINE", "files", "identifiers", "lines"]

LINE: Final = 12
"""Characters of the shortest line that counts, blanks around it aside."""
_SHORTEST: Final = 4
"""Characters of the shortest path that counts; `.` and `..` name nothing that had to be seen."""
IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{7,}")

_FOLDERS: Final = frozenset({"path", "dir_path", "dir", "directory", "folder", "absolute_path"})
_PLAIN: Final = re.compile(r"[\w@+.~ ()\[\]-]+(?:/[\w@+.~ ()\[\]-]+)?")
_OLD: Final = frozenset({"old_string", "oldString", "oldText", "old_text", "old_str", "old"})
_NEW: Final = frozenset(
    {"content", "new_string", "newString", "newText", "new_text", "new_str", "new", "file_text"}
)
_HUNK: Final = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?", re.MULTILINE)


def identifiers(text: str) -> set[str]:
    """The identifiers of a text that are long enough to mean something."""
    return set(IDENTIFIER.findall(text))


def lines(call: Call) -> frozenset[str]:
    """The lines that a call needs to know, without the blanks around them."""
    found: set[str] = set()
    for text in _replaced(call.input):
        found.update(text.splitlines())
    for text in strings(_without_new(call.input)):
        found.update(_patched(text))
    return frozenset(line for line in map(str.strip, found) if len(line) >= LINE)


def files(call: Call, toolbox: Toolbox) -> frozenset[str]:
    """The files and folders that a call names: of each path the last two steps."""
    meaning = toolbox.meaning(call.tool, call.input)
    paths = {touch.path for touch in meaning.touches}
    if meaning.kind in ("list", "search") and isinstance(call.input, Mapping):
        paths.update(value for key, value in call.input.items() if key in _FOLDERS and isinstance(value, str))
    tails = {"/".join(normalise(path).lstrip("/").split("/")[-2:]) for path in paths}
    return frozenset(tail for tail in tails if len(tail) >= _SHORTEST and _PLAIN.fullmatch(tail))


def _replaced(value: object) -> Iterator[str]:
    """The texts that edits replace; a call may hold a list of edits."""
    match value:
        case Mapping():
            for key, inner in value.items():
                if key in _OLD and isinstance(inner, str):
                    yield inner
                elif isinstance(inner, list):
                    yield from _replaced(inner)
        case list():
            for inner in value:
                yield from _replaced(inner)


def _without_new(value: object) -> object:
    """The arguments apart from what they write: a file may hold a patch without applying it."""
    if isinstance(value, Mapping):
        return [inner for key, inner in value.items() if key not in _NEW and key not in _OLD]
    return value


def _patched(text: str) -> Iterator[str]:
    """The lines that the patches inside a text remove or name."""
    if "*** Begin Patch" in text:
        yield from _codex_patch(text)
    elif "\n+++ " in text and _HUNK.search(text):
        yield from _unified_diff(text)


def _codex_patch(text: str) -> Iterator[str]:
    """https://github.com/openai/codex/blob/main/codex-rs/apply-patch/apply_patch_tool_instructions.md"""
    inside = False
    for line in text.splitlines():
        if line.startswith("*** "):
            inside = line.startswith("*** Update File:") or (inside and line.startswith("*** Move to:"))
        elif inside and line.startswith("@@"):
            yield line[2:]
        elif inside and line[:1] in ("-", " "):
            yield line[1:]


def _unified_diff(text: str) -> Iterator[str]:
    inside = False
    for line in text.splitlines():
        if _HUNK.match(line):
            inside = True
        elif not line or line[0] not in " +-\\" or line.startswith(("--- ", "+++ ")):
            inside = False
        elif inside and line[0] in " -":
            yield line[1:]
