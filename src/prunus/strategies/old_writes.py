from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Input, Proposal
from prunus.proposals import bare_input, replaceable
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class OldWrites:
    """The text of an older write, once a later call reads or writes the whole file.

    The later call shows the current contents, and the older text only former ones. The arguments that identify the
    call stay; the others are removed. A read of some lines replaces nothing, nor does a failed call.
    """

    name: ClassVar[str] = "old_writes"
    seed: ClassVar[str] = "supersedeWrites"
    icon: ClassVar[str] = "🖊️"

    over: int = 100
    """Inputs that would lose fewer characters stay whole."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if use.ok and use.meaning.kind in ("read", "write") and len(use.touches) == 1:
            yield use.touches[0].path

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        if not _shows(use):
            return
        for old in replaceable(earlier, view, _shows):
            kept = bare_input(old, view, self.over) if old.meaning.kind == "write" else None
            if kept is not None:
                reason = "the file was read or written as a whole later"
                yield Proposal(old.call, Input(kept), self.name, reason, cause=use.call)


def _shows(use: Use) -> bool:
    """Whether a call shows all that its file has after it."""
    if use.meaning.kind == "write":
        return not use.stripped
    return use.visible and use.touches[0].span.full
