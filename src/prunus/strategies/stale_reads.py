from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal
from prunus.proposals import replaceable, supersede
from prunus.view.uses import Use
from prunus.view.view import View

_FILE_KINDS = frozenset({"read", "write", "edit"})


@dataclass(frozen=True, slots=True)
class StaleReads:
    """Reads, writes and edits of a file that was written as a whole later.

    The old text is wrong, not merely old. A failed write replaces nothing. After an edit the earlier read is still
    useful, because the next edit builds on both, so edits replace reads only with `after_edits`.
    """

    name: ClassVar[str] = "stale_reads"
    seed: ClassVar[str] = "file supersede, supersedeReads"
    icon: ClassVar[str] = "📁"

    after_edits: bool = False
    """Treat an edit like a full write (the ACP plugin's rule)."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return use.paths if use.ok and use.meaning.kind in _FILE_KINDS else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        if not self._replaces(use, group):
            return
        kinds = ("write", "edit") if self.after_edits else ("write",)
        for old in replaceable(earlier, view, lambda old: self._replaces(old, group)):
            if all(view.newest_touch(touch.path, kinds) > old.index for touch in old.touches):
                yield supersede(self.name, old, use, "the file was written later", view)

    def _replaces(self, use: Use, path: Hashable) -> bool:
        touch = use.touched(str(path))
        return touch is not None and (touch.kind == "write" or (self.after_edits and touch.kind == "edit"))
