"""The words that Prunus leaves behind.

A note says what was there, why it went and how to see it again, in few words. Models copy what they see, so a
note is one bracketed sentence that cannot pass for file content, a command or an error message.
"""

from __future__ import annotations

import re

__all__ = [
    "code_note",
    "error_note",
    "file_note",
    "is_note",
    "is_shortened",
    "note",
    "outline_note",
    "shorten",
    "truncated_note",
]

_PREFIX = "[Prunus: "
_LONGEST = 600
_ERROR = re.compile(r"\[Error output truncated - \d+ chars total\]\s*\Z")
_OUTLINE = re.compile(r"\[Prunus: [\d,]+ of [\d,]+ lines removed; call the tool again to see them\.\]\Z")
_CUT = re.compile(r"^\.\.\. \[truncated: [\d,]+ chars total, [\d,]+ lines\] \.\.\.$", re.MULTILINE)


def note(what: str, why: str, again: str = "") -> str:
    """One sentence in place of what was there."""
    return f"{_PREFIX}{what} removed; {why}.{' ' + again if again else ''}]"


def is_note(text: str) -> bool:
    """Whether a text is nothing but such a sentence, or what is left of a shortened error."""
    return (text.startswith(_PREFIX) and text.endswith("]") and len(text) <= _LONGEST) or _ERROR.search(
        text, max(0, len(text) - 60)
    ) is not None


def is_shortened(text: str) -> bool:
    """Whether the middle of a text has been cut already."""
    return ("... [truncated: " in text and _CUT.search(text) is not None) or _OUTLINE.search(
        text, max(0, len(text) - 120)
    ) is not None


def error_note(total: int) -> str:
    """The line under the first line of an old error."""
    return f"[Error output truncated - {total} chars total]"


def truncated_note(characters: int, lines: int) -> str:
    """The line between head and tail of a long output."""
    return f"... [truncated: {characters:,} chars total, {lines:,} lines] ..."


def outline_note(removed: int, lines: int) -> str:
    """The line under the outline of an output."""
    return f"[Prunus: {removed:,} of {lines:,} lines removed; call the tool again to see them.]"


def file_note(name: str, size: int) -> str:
    """What stands for an attachment; `size` in bytes."""
    return f"[File: {shorten(name)}, {round(size / 1024)}KB]"


def code_note(language: str, lines: int) -> str:
    """What stands for a block of code."""
    return f"[Code block: {language or 'text'}, {lines} lines]"


def shorten(name: str, most: int = 120) -> str:
    """A path or command that fits into a note: one line, the end kept."""
    flat = " ".join(name.split())
    return flat if len(flat) <= most else "…" + flat[1 - most :]
