"""Qwen Code names the lines of a file that it shows; the rest of its dialect is that of Gemini CLI."""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.shown import lines_below
from prunus.clients.dialect import Dialect

_LINES: Final = re.compile(
    r"\A(?:The file: [^\n]* has been updated\. )?Showing lines (\d+)-(\d+) of (\d+)"
    r"(?: total lines| from the edited file)[.:]\n+---\n\n"
)

DIALECT: Final = Dialect(
    user_agent="qwencode",
    compacts_at=0.7,
    readers=((_LINES, lines_below),),
    summary_task=("update durable managed memory", "conversation history"),
)
