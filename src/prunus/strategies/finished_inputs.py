from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Edit, Input, Later
from prunus.history import Call
from prunus.strategies.cut import bare_input
from prunus.strategies.likelihood import chance_of
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
    edits: bool = True
    """Whether inputs of edits go too, not only those of writes, which reading the file shows again."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if use.ok:
            yield from dict.fromkeys(touch.path for touch in use.touches)

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Edit]:
        ripe = use.turn + self.idle + 1
        for old in earlier:
            if old.meaning.kind in ("write", "edit"):
                yield Edit(old.call, Later(), self.name, "its file was used again", ripe=ripe)
        if use.meaning.kind not in (("write", "edit") if self.edits else ("write",)) or len(use.touches) != 1:
            return
        call = view.part(use.call)
        kept = bare_input(use, call, self.over) if isinstance(call, Call) else None
        if kept is not None:
            why = f"its file was left alone for {self.idle} turns"
            likely = chance_of(use, "write" if use.meaning.kind == "write" else "edit", use.input_tokens, self.idle)
            yield Edit(use.call, Input(kept), self.name, why, ripe=ripe, chance=likely)
