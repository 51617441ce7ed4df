"""Shell commands that look for something: their output names what the next calls will use."""

from __future__ import annotations

import re
from typing import Final

from prunus.view import Use

__all__ = ["searches"]

_START: Final = r"(?:^|&&|\|\||;|\n)[^\S\n]*(?:cd\s+\S+\s*)?"
_NAMES: Final = r"rg|ag|ack|[efz]?grep|fd|find|ls|tree|dir|Get-ChildItem|Select-String|git\s+(?:grep|ls-files)"
_SEARCH: Final = re.compile(rf"{_START}(?:{_NAMES})(?![\w-])")


def searches(use: Use) -> bool:
    """Whether a call searches or lists, by a tool of its own or by a command."""
    if use.meaning.kind in ("search", "list"):
        return True
    return use.meaning.kind == "shell" and _SEARCH.search(use.meaning.command) is not None
