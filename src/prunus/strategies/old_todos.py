from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import supersede_earlier
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class OldTodos:
    """Older todo lists.

    Each write or read of the list shows the whole list, so only the newest write and the newest read matter. Tools
    that change one item at a time are left alone.
    """

    name: ClassVar[str] = "old_todos"
    seed: ClassVar[str] = "todo supersede"
    icon: ClassVar[str] = "✅"

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (use.meaning.key,) if use.ok and use.meaning.kind == "todo" and use.meaning.key else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        return supersede_earlier(self.name, use, earlier, "the list was updated later", view)
