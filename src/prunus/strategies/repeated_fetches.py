from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import replaceable, superseded
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class RepeatedFetches:
    """A page fetched again, or a web search made again.

    Only the same address or the same query counts; the newest answer stays. A failed fetch replaces nothing.
    """

    name: ClassVar[str] = "repeated_fetches"
    seed: ClassVar[str] = "pruneSourceUrls, URL supersede"
    icon: ClassVar[str] = "🔗"

    def groups(self, use: Use) -> Iterable[Hashable]:
        if use.ok and use.meaning.kind == "fetch" and use.meaning.key:
            yield use.meaning.key

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        if not use.visible:
            return
        for old in replaceable(earlier, view, lambda old: old.visible):
            yield superseded(self.name, old, use, "the same address or query was fetched again later", view)
