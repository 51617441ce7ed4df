from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import supersede_earlier
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class RepeatedFetches:
    """An older fetch of the same page, or an older web search with the same query.

    Only the newest answer stays. Another address or another query replaces nothing, nor does a failed fetch.
    """

    name: ClassVar[str] = "repeated_fetches"
    seed: ClassVar[str] = "pruneSourceUrls, URL supersede"
    icon: ClassVar[str] = "🔗"

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (use.meaning.key,) if use.ok and use.meaning.kind == "fetch" and use.meaning.key else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        return supersede_earlier(self.name, use, earlier, "the same address or query was fetched again later", view)
