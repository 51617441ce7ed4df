"""The folder that an agent works in, as its requests name it."""

from __future__ import annotations

import re
from typing import Final

from prunus.clients.dialect import words

_PATH: Final = rb"((?:/|~/|[A-Za-z]:(?:/|\\\\))(?:[^\s<>\"'`\\]|\\\\)*+)"
"""In JSON a line break is a backslash with a letter behind it, and a backslash is two of them."""
_FOLDERS: Final = tuple(re.compile(word.encode() + _PATH) for word in words("folder"))
"""One pattern for each agent: a search that begins with plain letters is quick."""


def project_of(*texts: bytes) -> str:
    """The working folder in the first of these JSON texts that names one; empty if none does."""
    for text in texts:
        found = next((found for folder in _FOLDERS if (found := folder.search(text))), None)
        if found is not None:
            path = found[1].replace(b"\\\\", b"\\").decode("utf-8", "replace")
            return path.rstrip(".,;") or path
    return ""
