from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import supersede_earlier
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class OldSnapshots:
    """Older snapshots of the same page or state.

    A newer snapshot with the same key replaces the older one. The key is the tool and the page.
    """

    name: ClassVar[str] = "old_snapshots"
    seed: ClassVar[str] = "pruneSnapshots"
    icon: ClassVar[str] = "📸"

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (use.meaning.key,) if use.ok and use.meaning.kind == "snapshot" and use.meaning.key else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        return supersede_earlier(self.name, use, earlier, "a newer snapshot was taken", view)
