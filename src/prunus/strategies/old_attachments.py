from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Note, Proposal, When
from prunus.history import Attachment
from prunus.notes import file_note
from prunus.view.uses import Piece
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class OldAttachments:
    """Images, documents and other files that were sent some turns ago.

    Attachments are large, and the conversation has since said what was seen in them. Name and size stay. A file
    that is sent only as a reference costs nothing and stays.
    """

    name: ClassVar[str] = "old_attachments"
    seed: ClassVar[str] = "pruneFiles"
    icon: ClassVar[str] = "🖼️"

    turns: int = 5
    """Attachments older than this many turns go."""

    def inspect(self, piece: Piece, view: View) -> Iterator[Proposal]:
        part = piece.part
        if isinstance(part, Attachment) and part.size and not part.fixed:
            text = file_note(part.name, part.size * 3 // 4)
            reason = f"an attachment older than {self.turns} turns"
            yield Proposal(piece.ref, Note(text), self.name, reason, when=When(piece.turn + self.turns + 1))
