from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Move, Postpone, Proposal, When
from prunus.outlines.written import lean_input
from prunus.reuse.likelihood import PartKind, reuse_of
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class FinishedInputs:
    """Inputs of writes and edits whose file has been left alone for long.

    What was written is in the file. While the agent works on a file, the next edit builds on the last; once the
    file has been idle, its contents are hardly used again, and reading it shows the current text. The arguments
    that identify the call stay; of a write stays an outline too, behind its result: what stands in place of the
    text, models copy into files.
    """

    name: ClassVar[str] = "finished_inputs"
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "📦"

    idle: int = 40
    """Turns that a file has to be left alone."""
    over: int = 600
    """Inputs with fewer characters to lose stay whole."""
    written: float = 0.15
    """How much of the text of a write stays, as an outline behind its result."""
    edits: bool = True
    """Whether inputs of edits go too, not only those of writes, which reading the file shows again."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if use.ok:
            yield from use.paths

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        from_turn = use.turn + self.idle + 1
        for old in earlier:
            if old.meaning.kind in ("write", "edit"):
                yield Postpone(old.call, self.name, from_turn)
        if use.meaning.kind not in (("write", "edit") if self.edits else ("write",)) or len(use.touches) != 1:
            return
        lean = lean_input(use, view, self.over, self.written)
        if lean is not None:
            why = f"its file was left alone for {self.idle} turns"
            kind: PartKind = "write" if use.meaning.kind == "write" else "edit"
            likely = reuse_of(use, kind, use.input_tokens, self.idle, offset=view.offset(kind))
            yield Proposal(use.call, lean, self.name, why, when=When(from_turn), reuse=likely)
