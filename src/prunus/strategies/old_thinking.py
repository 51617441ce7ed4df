from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal, When
from prunus.history import Thinking
from prunus.proposals import without_reasoning
from prunus.view.uses import Piece
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class OldThinking:
    """Reasoning of earlier turns, where the provider allows removing it.

    A block is removed whole or not at all, because signed blocks must not be changed. The reasoning of the current
    tool loop stays, as providers require. Where the field has to stay (`reasoning_content` for DeepSeek and Kimi),
    it becomes a dash. Reasoning that an id or a signature binds to the next item stays.
    """

    name: ClassVar[str] = "old_thinking"
    seed: ClassVar[str] = "compressThinkingBlocks"
    icon: ClassVar[str] = "🧠"

    turns: int = 3
    """Reasoning older than this many turns is removed."""
    over: int = 0
    """Reasoning with no more characters stays; signatures and encrypted content count too."""

    def inspect(self, piece: Piece, view: View) -> Iterator[Proposal]:
        part = piece.part
        if not isinstance(part, Thinking) or len(part.text) + part.hidden <= self.over:
            return
        replacement = without_reasoning(piece.ref, view)
        if replacement is not None:
            reason = f"reasoning older than {self.turns} turns"
            yield Proposal(piece.ref, replacement, self.name, reason, when=When(piece.turn + self.turns + 1))
