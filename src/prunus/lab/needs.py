"""What a call shows that it used: the lines it replaces, the files and the names it knows.

*hard*: lines of at least 12 characters that an edit replaces, or that a patch removes or names as context; and
files that a call reads, changes or lists, by the last two steps of their path, since the same file is named from
the root here and from the working folder there.
*soft*: identifiers of at least 8 characters anywhere in the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from prunus.calls import Toolbox
from prunus.calls.arguments import changes_of
from prunus.changes import Patch, Replace
from prunus.history import Call
from prunus.paths import normalise

LINE: Final = 12
"""Characters of the shortest line that counts, blanks around it aside."""
_SHORTEST: Final = 4
"""Characters of the shortest path that counts; `.` and `..` name nothing that had to be seen."""
IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{7,}")

_FOLDERS: Final = frozenset({"path", "dir_path", "dir", "directory", "folder", "absolute_path"})
_PLAIN: Final = re.compile(r"[\w@+.~ ()\[\]-]+(?:/[\w@+.~ ()\[\]-]+)?")


def identifiers(text: str) -> set[str]:
    """The identifiers of a text that are long enough to mean something."""
    return set(IDENTIFIER.findall(text))


def lines(call: Call, toolbox: Toolbox) -> frozenset[str]:
    """The lines that a call needs to know, without the blanks around them."""
    found: set[str] = set()
    for change in changes_of(call.input, toolbox.meaning(call.tool, call.input)):
        match change:
            case Replace(old):
                found.update(old.splitlines())
            case Patch(files):
                for hunk in (hunk for file in files if file.verb == "Update" for hunk in file.hunks):
                    found.update((*hunk.below, *hunk.old))
    return frozenset(line for line in map(str.strip, found) if len(line) >= LINE)


def files(call: Call, toolbox: Toolbox) -> frozenset[str]:
    """The files and folders that a call names: of each path the last two steps."""
    meaning = toolbox.meaning(call.tool, call.input)
    paths = {touch.path for touch in meaning.touches}
    if meaning.kind in ("list", "search") and isinstance(call.input, Mapping):
        paths.update(value for key, value in call.input.items() if key in _FOLDERS and isinstance(value, str))
    tails = {"/".join(normalise(path).lstrip("/").split("/")[-2:]) for path in paths}
    return frozenset(tail for tail in tails if len(tail) >= _SHORTEST and _PLAIN.fullmatch(tail))
