"""What must stay because it matters: by its kind, by its age, or because the user says so."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import ClassVar

from pathspec import GitIgnoreSpec

from prunus.edits import Note, Proposal, Shorter
from prunus.guards.guard import Hold
from prunus.history import Text
from prunus.uses import Use
from prunus.view import View


@dataclass(frozen=True, slots=True)
class Critical:
    """The user's words, the system's text and the newest todo list are never touched, nor what its 🔴 items name.

    Of an old message of the user only fenced code may be shortened, and what the agent itself replaces.

    An item of the newest todo list that is marked 🔴 names what must stay: a file, a line of a file
    (`src/app.py:42`), a part by its id, or words in quotation marks that stand in the part. It stays whatever finds
    it dispensable, the agent and pressure included, until a newer list no longer has the item.
    """

    name: ClassVar[str] = "critical"

    colours: bool = True
    """Whether what 🔴 items name must stay."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is not None:
            newest = view.newest.get((use.meaning.kind, use.meaning.key)) == use.index
            if use.meaning.kind == "todo" and newest:
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
class ProtectedTools:
    """Tools whose calls are never cut, or whose calls never make others dispensable."""

    name: ClassVar[str] = "protected_tools"

    victims: tuple[str, ...] = ()
    """Tools whose calls and results are left alone; `*` and `?` are understood."""
    triggers: tuple[str, ...] = ()
    """Tools whose calls replace no others."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        target = view.by_ref.get(edit.target)
        if target is not None and _matches(target.tool, self.victims):
            return Hold(f"{target.tool} is protected")
        trigger = view.by_ref.get(edit.cause) if edit.cause is not None else None
        if trigger is not None and _matches(trigger.tool, self.triggers):
            return Hold(f"{trigger.tool} may not replace others")
        return None

    def mutes(self, use: Use) -> bool:
        """Whether a call may replace no others."""
        return _matches(use.tool, self.triggers)


def _matches(tool: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class ProtectedPaths:
    """Files whose contents are never cut."""

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
    """Globs of the files, as in .gitignore."""

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


@lru_cache(maxsize=16)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)


@dataclass(frozen=True, slots=True)
class MinimumGain:
    """A note that is not shorter than what it replaces is not worth the change."""

    name: ClassVar[str] = "minimum_gain"

    tokens: int = 1
    """Edits that save fewer tokens are not made."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        if edit.covers:
            return None
        if edit.saved < self.tokens:
            return Hold(f"it would save {edit.saved} tokens, less than {self.tokens}", too_small=True)
        use = view.by_ref.get(edit.target)
        if use is None or edit.target != use.result or edit.tokens_before != use.tokens:
            return None
        match edit.replacement:
            case Note(text) | Shorter(text) if len(text) >= use.size:
                return Hold("what would stand there has as many characters", too_small=True)
        return None


@dataclass(frozen=True, slots=True)
class RecentTurns:
    """Turn protection: nothing of the newest turns is touched."""

    name: ClassVar[str] = "recent_turns"
    turns: int = 0
    """How many of the newest turns are left alone, beside the current one."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        ready = view.turn_of(edit.target) + self.turns
        if self.turns and view.turn < ready:
            return Hold(f"younger than {self.turns} turns", turn=ready)
        return None


@dataclass(frozen=True, slots=True)
class UnresolvedErrors:
    """A failure that nothing has cured yet stays as it is for some turns."""

    name: ClassVar[str] = "unresolved_errors"

    turns: int = 3
    """How many turns a failure stays whole."""

    def hold(self, edit: Proposal, view: View) -> Hold | None:
        use = view.by_ref.get(edit.target)
        if use is None or use.ok or edit.when.requested_by or (edit.cause and edit.ends_call):
            return None
        ready = use.turn + self.turns + 1
        return (
            Hold(f"an unresolved error of the last {self.turns} turns", turn=ready) if view.turn < ready else None
        )
