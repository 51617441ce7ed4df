from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import replaceable, superseded
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class RepeatedQueries:
    """The same question about the state of things, asked again.

    `ls`, `git status` and their kind answer for one moment only, and the newest answer is the one that holds.
    The same means the whole command in the same directory: `ls src` and `ls tests` are two questions.
    """

    name: ClassVar[str] = "repeated_queries"
    seed: ClassVar[str] = "stateQuerySupersede"
    icon: ClassVar[str] = "📊"

    patterns: tuple[str, ...] = (
        r"ls(\s|$)",
        r"find\s",
        r"pwd$",
        r"git\s+(status|branch|log)\b",
        r"tree(\s|$)",
    )
    """Regular expressions that a state command starts with."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        command = use.meaning.command
        if use.ok and command and use.meaning.kind == "shell" and _matcher(self.patterns).match(command):
            yield use.meaning.key, use.epoch

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        if not use.visible:
            return
        for old in replaceable(earlier, view, lambda old: old.visible):
            yield superseded(self.name, old, use, "the same command was run again later", view)


@lru_cache(maxsize=32)
def _matcher(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)")
