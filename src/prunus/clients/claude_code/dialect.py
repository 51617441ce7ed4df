"""Claude Code tags refusals and shortened results."""

from __future__ import annotations

from typing import Final

from prunus.clients.dialect import Dialect

DIALECT: Final = Dialect(
    exit_code_first=r"Exit code (-?\d+)\b",
    aborted=r"^Command timed out after|\A\[Request interrupted",
    refused=r"<tool_use_error>|The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user"
    r"|(?:Error: )?No such tool available|InputValidationError",
    cut_first="<persisted-output>",
    process_id=r"(?:running in background|backgrounded by user) with ID: (\w+)",
    process_keys=("bash_id", "shell_id", "task_id"),
)
