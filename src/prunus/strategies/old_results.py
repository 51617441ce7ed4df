from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.calls.meaning import Kind
from prunus.edits import Note, Proposal
from prunus.notes import note
from prunus.proposals import describe
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class OldResults:
    """Results of light tools, except for the newest few.

    Listings and searches lead to a file. Once the agent has opened the file, they have served their purpose, and
    they are cheap to repeat.
    """

    name: ClassVar[str] = "old_results"
    seed: ClassVar[str] = "keep_recent_tool_results"
    icon: ClassVar[str] = "🗂️"

    keep: int = 10
    """How many of the newest results stay."""
    kinds: tuple[Kind, ...] = ("list", "search")
    """Kinds of tools that count as light."""
    tools: tuple[str, ...] = ("focus", "unfocus")
    """Further tools that count as light."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if use.ok and (use.meaning.kind in self.kinds or use.tool in self.tools):
            yield None

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        if len(earlier) >= self.keep:
            old = earlier[-self.keep] if self.keep else use
            why = f"only the newest {self.keep} such results are kept"
            text = note(f"older {describe(old)}", why, "Call the tool again to see it.")
            yield Proposal(old.result, Note(text), self.name, why, cause=None if old is use else use.call)
