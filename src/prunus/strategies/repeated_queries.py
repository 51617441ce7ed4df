from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import supersede_earlier
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class RepeatedQueries:
    """An older answer of a command that shows the current state, such as `git status`.

    Such answers hold for one moment only, so the newest one replaces the others. Both the whole command and the
    directory have to be the same: `ls src` and `ls tests` are two queries.
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
    """Regular expressions that match the beginning of a state command."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        command = use.meaning.command
        if use.ok and command and use.meaning.kind == "shell" and _matcher(self.patterns).match(command):
            yield use.meaning.key, use.epoch

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        return supersede_earlier(self.name, use, earlier, "the same command was run again later", view)


@lru_cache(maxsize=32)
def _matcher(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)")
