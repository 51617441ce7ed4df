from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Gone, Proposal, Replacement, Shorter, When
from prunus.history import Marker, Thinking
from prunus.notes import REASONING_GONE
from prunus.view.uses import Piece
from prunus.view.view import View


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

    def inspect(self, piece: Piece, view: View) -> Iterator[Proposal]:
        part = piece.part
        if not isinstance(part, Thinking) or len(part.text) + part.hidden <= self.over:
            return
        replacement = without_reasoning(piece, view)
        if replacement is not None:
            reason = f"reasoning older than {self.turns} turns"
            yield Proposal(piece.ref, replacement, self.name, reason, when=When(piece.turn + self.turns + 1))


def without_reasoning(piece: Piece, view: View) -> Replacement | None:
    """What takes the place of reasoning that goes; None where it has to stay, or is no reasoning."""
    part = piece.part
    if not isinstance(part, Thinking) or part.fixed:
        return None
    if part.required:
        return None if part.text == REASONING_GONE else Shorter(REASONING_GONE)
    alone = all(isinstance(p, Thinking | Marker) for p in view.message(piece.ref.message).parts)
    return None if part.at != () and alone else Gone()
