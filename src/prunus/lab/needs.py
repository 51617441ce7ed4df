"""The knowledge that a call shows in its arguments: the lines it replaces, and the files and names it mentions.

*hard*: lines of at least 12 characters that an edit replaces, that a shell edit looks for, or that a patch removes
or names as context; and files that a call reads, changes or lists. A file counts by the last two steps of its path,
because calls may name the same file by an absolute or a relative path.
*soft*: identifiers of at least 8 characters anywhere in the arguments. A name is *in place* if it is in a path or
in an unchanged line; a list of names behind a cut tells a model nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from prunus.calls.arguments import changes_of
from prunus.calls.changes import Patch, Replace
from prunus.calls.paths import normalise
from prunus.calls.toolbox import Toolbox
from prunus.history import Call
from prunus.shell.sought import texts_sought

LINE: Final = 12
"""The length of the shortest line that counts, without surrounding blanks."""
_SHORTEST: Final = 4
"""The length of the shortest path that counts; a call can name `.` and `..` without having seen anything."""
IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{7,}")

_FOLDERS: Final = frozenset({"path", "dir_path", "dir", "directory", "folder", "absolute_path"})
_PLAIN: Final = re.compile(r"[\w@+.~ ()\[\]-]+(?:/[\w@+.~ ()\[\]-]+)?")

_NUMBER: Final = re.compile(r"\s*\d+\s*(?:→|\t|\||:|\. )")
_WORD: Final = re.compile(r"[\w.~@+/\\-]+")
_SUFFIX: Final = re.compile(r"\.[A-Za-z]\w{0,4}")


def identifiers(text: str) -> set[str]:
    """Return the identifiers of a text that are long enough to be distinctive."""
    return set(IDENTIFIER.findall(text))


def lines(call: Call, toolbox: Toolbox) -> frozenset[str]:
    """Return the lines that a call needs to know, without surrounding blanks."""
    meaning = toolbox.meaning(call.tool, call.input)
    found: set[str] = set()
    for text in texts_sought(meaning.command) if meaning.command else ():
        found.update(text.splitlines())
    for change in changes_of(call.input, meaning):
        match change:
            case Replace(old):
                found.update(old.splitlines())
            case Patch(files):
                for hunk in (hunk for file in files if file.verb == "Update" for hunk in file.hunks):
                    found.update((*hunk.below, *hunk.old))
    return frozenset(line for line in map(str.strip, found) if len(line) >= LINE)


def files(call: Call, toolbox: Toolbox) -> frozenset[str]:
    """Return the files and folders that a call names, each as the last two steps of its path."""
    meaning = toolbox.meaning(call.tool, call.input)
    paths = {touch.path for touch in meaning.touches}
    if meaning.kind in ("list", "search") and isinstance(call.input, Mapping):
        paths.update(value for key, value in call.input.items() if key in _FOLDERS and isinstance(value, str))
    tails = {"/".join(normalise(path).lstrip("/").split("/")[-2:]) for path in paths}
    return frozenset(tail for tail in tails if len(tail) >= _SHORTEST and _PLAIN.fullmatch(tail))


def lines_as_they_were(text: str) -> frozenset[str]:
    """The lines of a text without their numbers and the blanks around them."""
    return frozenset(map(_without_number, text.splitlines()))


def _without_number(line: str) -> str:
    number = _NUMBER.match(line)
    return line[number.end() if number else 0 :].strip()


def names_in_paths(text: str) -> set[str]:
    """The identifiers that stand in paths."""
    return identifiers(" ".join(filter(_is_path, _WORD.findall(text))))


def _is_path(word: str) -> bool:
    """Whether a word names a file or a folder: it has a slash, or ends like a file."""
    return "/" in word or "\\" in word or _SUFFIX.fullmatch(word, max(0, word.rfind("."))) is not None
