from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from pathspec import GitIgnoreSpec

from prunus.edits import Proposal
from prunus.guards.guard import Hold
from prunus.view.view import View


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


@lru_cache(maxsize=16)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)
