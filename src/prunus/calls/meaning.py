"""The meaning of one tool call: its kind, its subject, and the files that it touches."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, get_args

from prunus.calls.touches import Touch, TouchKind
from prunus.errors import SettingsError
from prunus.value import value

Kind = Literal["read", "write", "edit", "list", "search", "fetch", "todo", "shell", "task", "snapshot", "other"]


@value
class Meaning:
    """The meaning of a call, as far as its name and arguments show it."""

    kind: Kind
    key: str = ""
    """Equal for two calls about the same thing; empty if nothing can be compared."""
    touches: tuple[Touch, ...] = ()
    command: str = ""
    """The shell command as text, unwrapped from `bash -lc` and its like."""
    metadata: tuple[str, ...] = ()
    """Arguments that identify the call and stay when the bulky rest goes."""
    wild: bool = False
    """A shell command that may have changed files that it does not name."""
    unlimited: str = ""
    """The key of a listing or a search without how many results it asks for."""
    row: Tool | None = field(default=None, repr=False, compare=False)
    """How the tool spells its arguments, where it writes or edits."""


@value
class Tool:
    """How one tool spells its arguments; settings may add rows.

    Each field from `path` on names an argument. A row applies only where the argument that says what the call is
    about is there (a path for files, a pattern for searches, a command for shells); else the next row with that
    name is tried.
    """

    name: str
    """The tool's name, or a pattern such as `mcp__*__read_file`; case counts."""
    kind: Kind
    path: str = ""
    paths: str = ""
    """An argument that holds a list of paths."""
    offset: str = ""
    """First line to read, with `limit` lines."""
    limit: str = ""
    start: str = ""
    end: str = ""
    """Last line to read, included; `start` names the first."""
    lines: str = ""
    """An argument that holds [first, last]; a last of -1 is the end of the file."""
    zero: bool = False
    """Lines are counted from 0."""
    patch: str = ""
    content: str = ""
    """The whole new text of a file; like `old`, `new` and `edits` only needed for unusual names."""
    old: str = ""
    new: str = ""
    edits: str = ""
    """An argument that holds a list of edits."""
    pattern: str = ""
    include: str = ""
    url: str = ""
    query: str = ""
    command: str = ""
    language: Literal["shell", "javascript", "action"] = "shell"
    """What the command is written in: a shell, JavaScript that calls tools, or commands of the agent itself."""
    workdir: str = ""
    when: tuple[str, str] = ("", "")
    """An argument and the value it must have for this row to apply."""
    touch: TouchKind | None = None
    """What happens to the file, if not what the kind says."""
    key: str = ""
    """A fixed key; `-` says that two calls are never about the same thing."""
    keep: tuple[str, ...] = ()
    """Further arguments that identify a call."""

    def __post_init__(self) -> None:
        if not self.name:
            raise SettingsError("tools: a row needs a name")
        if self.kind not in get_args(Kind):
            raise SettingsError(f"tools.{self.name}.kind: {self.kind!r} is not one of {', '.join(get_args(Kind))}")

    @property
    def needs(self) -> str:
        """The argument without which this row does not apply."""
        match self.kind:
            case "read" | "write" | "edit":
                return self.patch or self.path or self.paths
            case "list" | "search":
                return self.pattern or self.query or self.command
            case "fetch":
                return self.url or self.query
        return self.query or self.command

    @property
    def metadata(self) -> tuple[str, ...]:
        """The arguments that identify a call, in a stable order."""
        named = (
            self.when[0], self.pattern, self.query, self.url, self.path, self.paths, self.include,
            self.offset, self.limit, self.start, self.end, self.lines, self.command, *self.keep, self.workdir,
        )  # fmt: skip
        return tuple(dict.fromkeys(name for name in named if name))
