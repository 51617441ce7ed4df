"""Lists of tools that a strategy leaves alone."""

from __future__ import annotations

from fnmatch import fnmatchcase

__all__ = ["is_protected"]


def is_protected(tool: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns names a tool, in any case; `*` and `?` are understood."""
    return any(fnmatchcase(tool.lower(), pattern.lower()) for pattern in patterns)
