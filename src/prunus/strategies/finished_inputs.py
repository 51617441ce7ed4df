from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Move, Postpone, Proposal, When
from prunus.outlines.outline import lean_input
from prunus.reuse.likelihood import PartKind, reuse_of
from prunus.view.uses import Use
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class FinishedInputs:
    """Inputs of writes and edits whose file has been left alone for many turns.

    The file itself holds what was written. While the agent works on a file, each edit builds on the one before.
    Once the agent has left the file alone, it hardly ever uses the old input again, and reading the file shows the
    current text. The arguments that identify the call stay. An outline of a written text stays too, behind the
    result of the call and not in its input, because models copy placeholders from inputs into files.
    """

    name: ClassVar[str] = "finished_inputs"
    seed: ClassVar[str] = ""
    icon: ClassVar[str] = "📦"

    idle: int = 40
    """Turns for which the file has to be left alone."""
    over: int = 600
    """Inputs that would lose fewer characters stay whole."""
    written: float = 0.15
    """The share of a written text that stays, as an outline behind the result."""
    edits: bool = True
    """Whether the inputs of edits go too. Reading the file brings a written text back, but not an edit."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return use.paths if use.ok else ()

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
            likely = reuse_of(use, kind, view, self.idle)
            yield Proposal(use.call, lean, self.name, why, when=When(from_turn), reuse=likely)
