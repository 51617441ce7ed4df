"""Agents that really edit files: each shows and changes a file on disk the way its tools do."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from prunus.history import Call, Message, Result


class Talk:
    """A history that grows by one call and its result at a time."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def add(self, tool: str, given: Any, answer: str, error: bool | None = False) -> None:
        id = f"call_{len(self.messages)}"
        self.messages.append(Message("assistant", (Call(id, tool, given, str(given)),)))
        self.messages.append(Message("tool", (Result(id, answer, error),)))

    def say(self, *messages: Message) -> None:
        self.messages.extend(messages)


class Agent(Protocol):
    """What each agent can do to one file."""

    talk: Talk

    def read(self, path: Path, offset: int | None = None, limit: int | None = None) -> None: ...
    def edit(self, path: Path, old: str, new: str, every: bool = False) -> None: ...
    def write(self, path: Path, text: str) -> None: ...
    def shell(self, path: Path, command: str) -> None: ...


def lines_of(path: Path) -> list[str]:
    """The lines of a file, without the end of the last one."""
    text = path.read_text()
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def replaced(path: Path, old: str, new: str, every: bool) -> bool:
    """Replace as most editing tools do: the text must be there, and once unless all are meant."""
    text = path.read_text()
    if not old or old == new or old not in text or (text.count(old) > 1 and not every):
        return False
    path.write_text(text.replace(old, new))
    return True


def ran(command: str, folder: Path) -> tuple[str, int]:
    """Run a command for real."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode


def window(path: Path, offset: int | None, limit: int | None, phantom: bool) -> list[tuple[int, str]]:
    """The lines of a file that a read shows; some tools count what is behind the last line break."""
    lines = path.read_text().split("\n")
    if not phantom and lines[-1] == "":
        lines.pop()
    first = offset or 1
    last = len(lines) if limit is None else first + limit - 1
    return list(enumerate(lines, 1))[first - 1 : last]


class Claude:
    """Claude Code: numbered lines with the empty one at the end, exact edits, a shell that trims its output.

    It edits no file that was changed since it saw it last, and does not show again what it has shown.
    """

    def __init__(self, separator: str = "\t", width: int = 0) -> None:
        self.talk = Talk()
        self.separator, self.width = separator, width
        self.seen: dict[Path, str] = {}
        self.shown: tuple[Path, int | None, int | None, str] | None = None

    def read(self, path: Path, offset: int | None = None, limit: int | None = None) -> None:
        given: dict[str, Any] = {"file_path": str(path)}
        given |= {key: value for key, value in (("offset", offset), ("limit", limit)) if value is not None}
        lines = window(path, offset, limit, phantom=True)
        text = path.read_text()
        self.seen[path] = text
        if self.shown == (path, offset, limit, text):
            self.talk.add("Read", given, "File unchanged since last read. The earlier result is still current.")
            return
        self.shown = path, offset, limit, text
        if not lines:
            warning = "Warning: the file exists but is shorter than the provided offset."
            self.talk.add("Read", given, f"<system-reminder>{warning}</system-reminder>")
            return
        shown = "\n".join(f"{str(n).rjust(self.width)}{self.separator}{text}" for n, text in lines)
        self.talk.add("Read", given, shown)

    def edit(self, path: Path, old: str, new: str, every: bool = False) -> None:
        given = {"file_path": str(path), "old_string": old, "new_string": new, "replace_all": every}
        text = path.read_text()
        if self.seen.get(path, text) != text:
            refusal = "File has been modified since read, either by the user or by a linter. Read it again."
            self.talk.add("Edit", given, f"<tool_use_error>{refusal}</tool_use_error>", True)
            return
        taken = old
        if new == "" and not old.endswith("\n") and old and old + "\n" in text:
            taken = old + "\n"
        if not replaced(path, old, new, every):
            self.talk.add("Edit", given, "<tool_use_error>String to replace not found.</tool_use_error>", True)
            return
        if taken != old:
            path.write_text(text.replace(taken, new) if every else text.replace(taken, new, 1))
        self.seen[path] = path.read_text()
        self.talk.add("Edit", given, f"The file {path} has been updated successfully.")

    def write(self, path: Path, text: str) -> None:
        path.write_text(text)
        self.seen[path] = text
        self.talk.add("Write", {"file_path": str(path), "content": text}, f"The file {path} has been updated.")

    def shell(self, path: Path, command: str) -> None:
        output, code = ran(command, path.parent)
        shown = output.strip("\n").rstrip()
        self.talk.add("Bash", {"command": command}, shown if code == 0 else f"Exit code {code}\n{shown}", code != 0)


class OpenCode:
    """OpenCode: a wrapper with numbered lines, and the count of lines below them."""

    def __init__(self) -> None:
        self.talk = Talk()

    def read(self, path: Path, offset: int | None = None, limit: int | None = None) -> None:
        given: dict[str, Any] = {"filePath": str(path)}
        given |= {key: value for key, value in (("offset", offset), ("limit", limit)) if value is not None}
        lines = window(path, offset, limit, phantom=False)
        total = len(window(path, None, None, phantom=False))
        if not lines:
            self.talk.add("read", given, f"Offset {offset} is out of range for this file ({total} lines)", True)
            return
        shown = "\n".join(f"{n}: {text}" for n, text in lines)
        last = lines[-1][0]
        foot = f"(End of file - total {total} lines)"
        if last < total:
            foot = f"(Showing lines {lines[0][0]}-{last} of {total}. Use offset={last + 1} to continue.)"
        head = f"<path>{path}</path>\n<type>file</type>\n<content>\n"
        self.talk.add("read", given, f"{head}{shown}\n\n{foot}\n</content>")

    def edit(self, path: Path, old: str, new: str, every: bool = False) -> None:
        given = {"filePath": str(path), "oldString": old, "newString": new, "replaceAll": every}
        if replaced(path, old, new, every):
            self.talk.add("edit", given, "Edit applied successfully.")
        else:
            self.talk.add("edit", given, "Could not find oldString in the file.", True)

    def write(self, path: Path, text: str) -> None:
        path.write_text(text)
        self.talk.add("write", {"filePath": str(path), "content": text}, "Wrote file successfully.")

    def shell(self, path: Path, command: str) -> None:
        output, code = ran(command, path.parent)
        self.talk.add("bash", {"command": command, "description": "run"}, output or "(no output)", code != 0)


class Pi:
    """pi: files as they are, several edits in one call."""

    def __init__(self) -> None:
        self.talk = Talk()

    def read(self, path: Path, offset: int | None = None, limit: int | None = None) -> None:
        given: dict[str, Any] = {"path": str(path)}
        given |= {key: value for key, value in (("offset", offset), ("limit", limit)) if value is not None}
        everything = path.read_text().split("\n")
        first = offset or 1
        lines = everything[first - 1 :] if limit is None else everything[first - 1 : first - 1 + limit]
        if first > len(everything):
            self.talk.add("read", given, f"Offset {offset} is beyond end of file", True)
            return
        left = len(everything) - (first - 1) - len(lines)
        more = f"\n\n[{left} more lines in file. Use offset={first + len(lines)} to continue.]" if left else ""
        self.talk.add("read", given, "\n".join(lines) + more)

    def edit(self, path: Path, old: str, new: str, every: bool = False) -> None:
        given = {"path": str(path), "edits": [{"oldText": old, "newText": new}]}
        if replaced(path, old, new, every=False):
            self.talk.add("edit", given, f"Successfully replaced 1 block(s) in {path}.")
        else:
            self.talk.add("edit", given, f"Could not find the exact text in {path}.", True)

    def write(self, path: Path, text: str) -> None:
        path.write_text(text)
        self.talk.add("write", {"path": str(path), "content": text}, f"Successfully wrote to {path}")

    def shell(self, path: Path, command: str) -> None:
        output, code = ran(command, path.parent)
        self.talk.add("bash", {"command": command}, output or "(no output)", code != 0)


class Codex:
    """Codex: a shell to read with, and patches."""

    def __init__(self) -> None:
        self.talk = Talk()

    def read(self, path: Path, offset: int | None = None, limit: int | None = None) -> None:
        if offset is None and limit is None:
            self.shell(path, f"cat {path.name}")
        elif offset is not None and offset % 2:
            self.shell(path, f"nl -ba {path.name} | sed -n '{offset},{offset + (limit or 3) - 1}p'")
        else:
            self.shell(path, f"sed -n '{offset or 1},{(offset or 1) + (limit or 3) - 1}p' {path.name}")

    def edit(self, path: Path, old: str, new: str, every: bool = False) -> None:
        lines = path.read_text().split("\n")
        if lines[-1] == "":
            lines.pop()
        wanted, put = old.split("\n"), new.split("\n")
        patch = "\n".join(
            [
                "*** Begin Patch",
                f"*** Update File: {path}",
                "@@",
                *(f"-{line}" for line in wanted),
                *(f"+{line}" for line in put),
                "*** End Patch",
            ]
        )
        places = [at for at in range(len(lines) - len(wanted) + 1) if lines[at : at + len(wanted)] == wanted]
        if not places:
            self.talk.add("apply_patch", patch, "apply_patch verification failed: no such lines", None)
            return
        lines[places[0] : places[0] + len(wanted)] = put
        if lines[-1] != "":
            lines.append("")
        path.write_text("\n".join(lines))
        self.talk.add("apply_patch", patch, f"Success. Updated the following files:\nM {path}\n", None)

    def write(self, path: Path, text: str) -> None:
        text = text if text.endswith("\n") else text + "\n"
        self.shell(path, f"cat > {path.name} <<'EOF'\n{text}EOF")

    def shell(self, path: Path, command: str) -> None:
        output, code = ran(command, path.parent)
        head = (
            f"Chunk ID: abc123\nWall time: 0.1 seconds\nProcess exited with code {code}\nOriginal token count: 5\n"
        )
        self.talk.add(
            "exec_command", {"cmd": command, "workdir": str(path.parent)}, f"{head}Output:\n{output}", None
        )


class OpenHands:
    """OpenHands: one editor tool with `cat -n` views and snippets after edits."""

    def __init__(self) -> None:
        self.talk = Talk()

    def _cat(self, lines: list[str], first: int) -> str:
        return "\n".join(f"{n:6}\t{text}" for n, text in enumerate(lines, first)) + "\n"

    def read(self, path: Path, offset: int | None = None, limit: int | None = None) -> None:
        lines = path.read_text().split("\n")
        given: dict[str, Any] = {"command": "view", "path": str(path)}
        first = 1
        if offset is not None:
            last = min(offset + (limit or 4) - 1, len(lines))
            if offset > last:
                self.talk.add(
                    "str_replace_editor", given | {"view_range": [offset, offset]}, "ERROR: Invalid", True
                )
                return
            given["view_range"] = [offset, last]
            first, lines = offset, lines[offset - 1 : last]
        head = f"Here's the result of running `cat -n` on {path}:\n"
        self.talk.add("str_replace_editor", given, head + self._cat(lines, first))

    def edit(self, path: Path, old: str, new: str, every: bool = False) -> None:
        given = {"command": "str_replace", "path": str(path), "old_str": old, "new_str": new}
        before = path.read_text()
        if not replaced(path, old, new, every=False):
            self.talk.add("str_replace_editor", given, "ERROR: No replacement was performed.", True)
            return
        line = before[: before.index(old)].count("\n")
        first = max(line - 3, 0)
        lines = path.read_text().split("\n")[first : line + new.count("\n") + 5]
        head = f"The file {path} has been edited. Here's the result of running `cat -n` on a snippet of {path}:\n"
        tail = "Review the changes and make sure they are as expected. Edit the file again if necessary."
        self.talk.add("str_replace_editor", given, head + self._cat(lines, first + 1) + tail)

    def write(self, path: Path, text: str) -> None:
        path.write_text(text)
        given = {"command": "create", "path": str(path), "file_text": text}
        self.talk.add("str_replace_editor", given, f"File created successfully at: {path}")

    def shell(self, path: Path, command: str) -> None:
        output, code = ran(command, path.parent)
        self.talk.add(
            "execute_bash", {"command": command}, f"{output}\n[The command completed with exit code {code}.]", None
        )


AGENTS: Final[dict[str, Callable[[], Agent]]] = {
    "claude": Claude,
    "claude-1": lambda: Claude("→", 6),
    "opencode": OpenCode,
    "pi": Pi,
    "codex": Codex,
    "openhands": OpenHands,
}
