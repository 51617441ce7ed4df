"""Guards of content that never goes: the user's words, files and tools that the user names, tool definitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from pathspec import GitIgnoreSpec

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.history import Text
from prunus.proposals import is_protected
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class Critical:
    """The user's words, the system text, the newest todo list, and what its 🔴 items name are never cut.

    In an old message of the user, only fenced code may be shortened. Text that the agent or the user asked to
    replace is an exception.

    A 🔴 item of the newest todo list names content that must stay: a file, a line of a file (`src/app.py:42`), a
    part by its id, or words in quotation marks that occur in the part. Neither a strategy nor the agent nor
    pressure can remove this content, until a newer list no longer has the item.
    """

    name: ClassVar[str] = "critical"

    colours: bool = True
    """Whether the content that 🔴 items name must stay."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is not None and use.meaning.kind == "todo" and view.is_newest(use):
            return Hold("the newest todo list", uses=len(view.uses) + 1)
        if self.colours and view.colour_of(edit.target) == "🔴":
            return Hold("a 🔴 item of the todo list names it")
        if use is not None:
            return None
        message = view.message(edit.target.message)
        if message.role == "assistant" or not isinstance(message.parts[edit.target.part], Text):
            return None
        if message.role == "user" and (edit.when.requested_by or edit.only_code):
            return None
        return Hold("the words of the user" if message.role == "user" else "the text of the system")


@dataclass(frozen=True, slots=True)
class Definitions:
    """Content that carries tool definitions is never cut, because the model would lose the tools."""

    name: ClassVar[str] = "definitions"

    tools: tuple[str, ...] = ("ToolSearch", "tool_search")
    """Tools whose results contain tool definitions."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is not None and (use.defines or use.tool in self.tools):
            return Hold("it brings tool definitions")
        if view.shapes[edit.target.message].definitions:
            return Hold("the item carries tool definitions")
        return None


@dataclass(frozen=True, slots=True)
class ProtectedTools:
    """Calls of some tools are never cut, and calls of some tools never replace other calls."""

    name: ClassVar[str] = "protected_tools"

    victims: tuple[str, ...] = ()
    """Tools whose calls and results are never cut, in upper or lower case; `*` and `?` are wildcards."""
    triggers: tuple[str, ...] = ()
    """Tools whose calls never replace other calls."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        target = view.by_ref.get(edit.target)
        if target is not None and is_protected(target.tool, self.victims):
            return Hold(f"{target.tool} is protected")
        trigger = view.by_ref.get(edit.cause) if edit.cause is not None else None
        if trigger is not None and is_protected(trigger.tool, self.triggers):
            return Hold(f"{trigger.tool} may not replace others")
        return None

    def mutes(self, use: Use) -> bool:
        """Whether a call may replace no others."""
        return is_protected(use.tool, self.triggers)


@dataclass(frozen=True, slots=True)
class ProtectedPaths:
    """Reads, writes and edits of protected files are never cut."""

    name: ClassVar[str] = "protected_paths"

    patterns: tuple[str, ...] = (
        "**/.env",
        "**/.env.*",
        "**/credentials.json",
        "**/secrets.json",
        "**/*.pem",
        "**/*.key",
        "**/package.json",
        "**/tsconfig.json",
        "**/pyproject.toml",
        "**/Cargo.toml",
    )
    """Globs of the protected files, as in .gitignore."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is None or not self.patterns:
            return None
        for touch in use.touches:
            if _protected(self.patterns, touch.path):
                return Hold(f"{touch.path} is protected")
        return None


@lru_cache(maxsize=4096)
def _protected(patterns: tuple[str, ...], path: str) -> bool:
    return _spec(patterns).match_file(path.lstrip("/"))


_spec = lru_cache(maxsize=16)(GitIgnoreSpec.from_lines)
