"""Commands that go on in the background: which call starts one, and which asks for what it has printed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_ID: Final = re.compile(
    r"Process running with session ID (\d+)|(?:running in background|backgrounded by user) with ID: (\w+)", re.I
)
_KEYS: Final = ("session_id", "bash_id", "shell_id", "task_id", "shellId")
_EARLY: Final = 600
"""Characters of a result in which the id stands."""


def process_of(given: Any, text: str) -> str:
    """Which running command a call is about: by the id that it is given or gets; empty if none is told."""
    if isinstance(given, Mapping):
        for key in _KEYS:
            if (id := given.get(key)) is not None:
                return str(id)
    found = _ID.search(text[:_EARLY])
    return next((id for id in found.groups() if id), "") if found else ""
