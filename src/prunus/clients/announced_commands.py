"""What Claude Code writes before the prompt of a slash command: which command the user has typed."""

from __future__ import annotations

import re
from typing import Final

_ANNOUNCED: Final = re.compile(
    r"<command-message>[^<]*+</command-message>\s*+<command-name>/([^<]*+)</command-name>"
    r"(?:\s*+<command-args>[^<]*+</command-args>)?+"
)


def announced_command(text: str) -> str:
    """The name of the command, if the text says nothing else; empty otherwise."""
    found = _ANNOUNCED.fullmatch(text.strip())
    return "" if found is None else found[1]
