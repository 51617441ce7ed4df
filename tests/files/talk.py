"""Histories written by hand."""

from typing import Any

from prunus.files.at import FileHistory
from prunus.history import Call, Message, Result, Text

Step = tuple[Any, ...]


def messages(*steps: Step) -> tuple[Message, ...]:
    """One assistant message for each (tool, arguments, answer[, failed]); a text alone is the user's."""
    made: list[Message] = []
    for number, step in enumerate(steps):
        if len(step) == 1:
            made.append(Message("user", (Text(step[0]),), spoken=True))
            continue
        tool, given, answer, *failed = step
        made.append(Message("assistant", (Call(f"c{number}", tool, given, str(given)),)))
        made.append(Message("tool", (Result(f"c{number}", answer, failed[0] if failed else False),)))
    return tuple(made)


def history(*steps: Step) -> FileHistory:
    return FileHistory(messages(*steps))


def read(path: str, *lines: str, start: int = 1, limit: int | None = None) -> Step:
    """A read by Claude Code; without a limit up to the end, where the file ends with a line break."""
    given: dict[str, Any] = {"file_path": path}
    if start > 1 or limit is not None:
        given |= {"offset": start, "limit": limit or len(lines)}
    shown = [f"{number}\t{line}" for number, line in enumerate(lines, start)]
    if start == 1 and limit is None:
        shown.append(f"{len(lines) + 1}\t")
    return "Read", given, "\n".join(shown)


def edit(path: str, old: str, new: str, **more: Any) -> Step:
    given = {"file_path": path, "old_string": old, "new_string": new, **more}
    return "Edit", given, f"The file {path} has been updated successfully."


def write(path: str, text: str) -> Step:
    return "Write", {"file_path": path, "content": text}, f"File created successfully at: {path}"


def bash(command: str, output: str = "", failed: bool = False) -> Step:
    return "Bash", {"command": command}, output, failed


def codex(command: str, output: str = "", code: int = 0) -> Step:
    head = f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n"
    return "exec_command", {"cmd": command}, head + output, None


def patch(*lines: str, answer: str = "Success. Updated the following files:\nM a.py\n") -> Step:
    return "apply_patch", "\n".join(["*** Begin Patch", *lines, "*** End Patch"]), answer, None
