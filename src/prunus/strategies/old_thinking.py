from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Edit, Gone, Replacement, Shorter
from prunus.history import Marker, Thinking
from prunus.view import Piece, View

__all__ = ["OldThinking"]

PLACEHOLDER = "—"


@dataclass(frozen=True, slots=True)
class OldThinking:
    """Reasoning of turns that are over, where the provider allows it.

    A block goes whole or stays whole, since signed blocks must not be changed. The reasoning of the tool loop
    that is still open stays, as providers demand. Where a field has to stay (`reasoning_content` for DeepSeek
    and Kimi), it becomes a dash. What is bound to its neighbour by an id or a signature stays.
    """

    name: ClassVar[str] = "old_thinking"
    seed: ClassVar[str] = "compressThinkingBlocks"
    icon: ClassVar[str] = "🧠"

    turns: int = 3
    """Reasoning older than this many turns goes."""
    over: int = 0
    """Reasoning with no more characters than this stays, signatures and encrypted content counted in."""

    def inspect(self, piece: Piece, view: View) -> Iterator[Edit]:
        part = piece.part
        if not isinstance(part, Thinking) or part.fixed or len(part.text) + part.hidden <= self.over:
            return
        replacement: Replacement = Gone()
        if part.required:
            if part.text == PLACEHOLDER:
                return
            replacement = Shorter(PLACEHOLDER)
        elif part.at != () and all(isinstance(p, Thinking | Marker) for p in view.message(piece.ref.message).parts):
            return
        reason = f"reasoning older than {self.turns} turns"
        yield Edit(piece.ref, replacement, self.name, reason, ripe=piece.turn + self.turns + 1)
