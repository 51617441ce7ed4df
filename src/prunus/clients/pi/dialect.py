"""pi says in brackets which lines of a file are not shown, and below its output how a command failed."""

from __future__ import annotations

from typing import Final

from prunus.clients.dialect import Dialect

DIALECT: Final = Dialect(
    exit_code_last=r"^Command exited with code (-?\d+)\s*\Z",
    aborted="Command (?:timed out after|aborted)",
    refused=r"Tool \S+ not found\b",
    foot=r"\n\n\[(?:Showing lines \d+-\d+ of \d++|\d+ more lines in file\.|Line \d+ is )[^\n]*\]\Z",
    cut_last=r"\[Showing lines \d+-\d+ of \d+|\[\d+ more lines in file\.",
)
