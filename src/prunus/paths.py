"""Paths as agents write them, in one spelling."""

from __future__ import annotations

import re

_UNTIDY = re.compile(r"\\|//|(?:^|/)\.{1,2}(?:/|$)|/$")
_LONGEST = 4096
"""Characters of a folder that a system takes; a command that goes deeper is followed no further."""
_ABSOLUTE = re.compile(r"[/~$]|[A-Za-z]:")


def normalise(path: str) -> str:
    """The path with forward slashes and without `./`, `//`, `a/../` or a slash at its end.

    Nothing is looked up: a relative path stays relative, and a `..` at its front stays.
    """
    path = path.strip()
    if path.startswith("file://"):
        path = path[7:]
    if not _UNTIDY.search(path):
        return path
    path = path.replace("\\", "/")
    root = "/" if path.startswith("/") else ""
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".." or not root:
            parts.append(part)
    return root + "/".join(parts) or "."


def join(base: str, path: str) -> str:
    """The path as seen from a folder, normalised; an absolute path stays what it is."""
    if not base or _ABSOLUTE.match(path) or path.startswith("\\"):
        return normalise(path)
    if len(base) > _LONGEST:
        return base
    return normalise(f"{base}/{path}")
