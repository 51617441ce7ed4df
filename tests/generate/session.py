"""An agent session as plain values, before any format gives it a shape on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Action", "Ask", "Kind", "Session", "Step"]

Kind = Literal[
    "read", "read_lines", "write", "edit", "shell", "local", "todo", "fetch", "search", "list", "task", "tools",
    "snapshot", "other", "hosted", "remote", "program",
]  # fmt: skip
"""Besides the agent's own tools: one that the provider runs, one on a server that the provider asks or of a type
of its own, and one that code of the model calls."""
Answer = Literal["given", "missing", "compacted", "running"]


@dataclass(frozen=True, slots=True)
class Action:
    """One tool call and what came of it."""

    kind: Kind
    path: str = ""
    command: str = ""
    """The command of a shell, the address of a fetch, the pattern of a search."""
    lines: tuple[int, int] = (0, 0)
    text: str = ""
    """What is written; for an edit, the new text."""
    old: str = ""
    items: tuple[str, ...] = ()
    """The todo list."""
    result: str = ""
    failed: bool = False
    answer: Answer = "given"
    picture: int = 0
    """Length of the base64 text of an image that comes with the result."""
    blocks: bool = False
    """The result travels as a list of blocks where the format has the choice."""


@dataclass(frozen=True, slots=True)
class Step:
    """One model step: it thinks, says something, and calls tools side by side."""

    actions: tuple[Action, ...] = ()
    says: str = ""
    thinks: str = ""
    hidden: bool = False
    """The reasoning is there, but not to be read."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A message of the user."""

    text: str
    picture: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Session:
    """What happened, in order; it starts with a user and never shows two users in a row."""

    events: tuple[Ask | Step, ...]
    repeats_ids: bool = False
    """The model counts its call ids anew in each step."""
    extras: bool = False
    """The host adds what is its own: a system message in the list, reminders beside results, tool definitions.
    Models and clients use the rarer forms of the format: runs of thinking, signed parts, other spellings."""
    recipe: str = ""
    """How to build it again; short enough to show when a test fails."""

    def __repr__(self) -> str:
        return self.recipe

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Hypothesis prints dataclasses field by field unless told otherwise."""
        printer.text(self.recipe)
