"""GitHub Copilot CLI writes the exit code below the output of a command."""

from __future__ import annotations

from typing import Final

from prunus.clients.dialect import Dialect

DIALECT: Final = Dialect(
    exit_code_last=r"^<exited with exit code (-?\d+)>\s*\Z",
    process_keys=("shellId",),
    polling_tools=("read_bash", "stop_bash"),
    edit_done=r"File \S.* updated with changes\.",
)
