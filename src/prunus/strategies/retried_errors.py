from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import replaceable, supersede
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class RetriedErrors:
    """A failed call that was retried successfully with the same arguments.

    After the successful retry, the failure tells the agent nothing any more. A later call with other arguments is
    no retry: the failure may explain why the arguments changed, so it stays.
    """

    name: ClassVar[str] = "retried_errors"
    seed: ClassVar[str] = "pruneRetryParts"
    icon: ClassVar[str] = "🔁"

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (use.signature,) if use.signature else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        if not use.ok or not use.visible:
            return
        for old in replaceable(earlier, view, lambda old: old.ok and old.visible):
            if not old.ok:
                yield supersede(self.name, old, use, "it failed, and the same call succeeded later", view)
