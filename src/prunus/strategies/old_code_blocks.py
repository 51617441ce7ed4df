from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Proposal, Shorter, When
from prunus.history import Text
from prunus.notes import Words, code_note
from prunus.text.enclosed import enclosed
from prunus.view.uses import Piece
from prunus.view.view import View

_FENCE = re.compile(r"^```([^\n`]*)\n", re.MULTILINE)
_FENCE_END = re.compile(r"^```[ \t]*(?=\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OldCodeBlocks:
    """Long fenced code that the user pasted some turns ago.

    The words around the code stay, because they are instructions. By now the agent has read the code, and usually
    it is in a file.
    """

    name: ClassVar[str] = "old_code_blocks"
    seed: ClassVar[str] = "pruneUserCodeBlocks"
    icon: ClassVar[str] = "📝"

    turns: int = 5
    """Code older than this many turns goes."""
    lines: int = 3
    """Blocks with no more lines than this stay."""

    def inspect(self, piece: Piece, view: View) -> Iterator[Proposal]:
        if not isinstance(piece.part, Text) or piece.role != "user" or "```" not in piece.part.text:
            return
        text = self._without_code(piece.part.text, view.words)
        if text != piece.part.text:
            reason = f"code in a message older than {self.turns} turns"
            yield Proposal(
                piece.ref, Shorter(text), self.name, reason, when=When(piece.turn + self.turns + 1), only_code=True
            )

    def _without_code(self, text: str, words: Words) -> str:
        pieces: list[str] = []
        at = 0
        for start, end in enclosed(text, _FENCE, _FENCE_END):
            lines = text.count("\n", start.end(), end.start())
            if lines > self.lines:
                language = start[1].split()
                pieces += (text[at : start.start()], code_note(language[0] if language else "", lines, words))
                at = end.end()
        return "".join((*pieces, text[at:]))
