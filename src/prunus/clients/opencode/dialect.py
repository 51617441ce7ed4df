"""OpenCode says in parentheses which lines of a file are not shown."""

from __future__ import annotations

from typing import Final

from prunus.clients.dialect import Dialect

DIALECT: Final = Dialect(
    aborted=r"^(?:Tool execution aborted|<bash_metadata>\nbash tool terminated)",
    refused="The user rejected permission|The arguments provided to the tool are invalid|Tool execution aborted"
    "|Model tried to call unavailable tool",
    cut_first=r"\.\.\.output truncated\.\.\.",
    cut_last=r"\(File has more lines\.|\(Output capped at|\(Showing lines \d+-\d+ of \d+",
)
