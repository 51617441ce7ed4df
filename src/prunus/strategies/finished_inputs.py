from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Edit, Input
from prunus.history import Call
from prunus.strategies.cut import bare_input
from prunus.view import Use, View

__all__ = ["FinishedInputs"]


@dataclass(frozen=True, slots=True)
class FinishedInputs:
    """Inputs of writes and edits whose file has been left alone for long.

    What was written is in the file. While the agent works on a file, the next edit builds on the last; once the
    file has been idle, its contents are hardly used again, and reading it shows the current text. The arguments
    that identify the call stay; nothing is put in place of the others.
    """

    name: ClassVar[str] = "finished_inputs"
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "📦"

    idle: int = 40
    """Turns that a file has to be left alone."""
    over: int = 1_000
    """Inputs with fewer characters to lose stay whole."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if use.ok and use.meaning.kind in ("read", "write", "edit"):
            yield from dict.fromkeys(touch.path for touch in use.touches)

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Edit]:
        for old in (*earlier, use):
            if old.meaning.kind not in ("write", "edit") or len(old.touches) != 1:
                continue
            call = view.part(old.call)
            kept = bare_input(old, call, self.over) if isinstance(call, Call) else None
            if kept is not None:
                reason = f"its file was left alone for {self.idle} turns"
                yield Edit(old.call, Input(kept), self.name, reason, ripe=use.turn + self.idle + 1)
