from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Gone, Proposal, When
from prunus.history import Marker, Thinking
from prunus.view.uses import Piece
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class StepMarkers:
    """OpenCode's `step-start` and `step-finish` parts.

    These parts are OpenCode's bookkeeping. OpenCode does not send them to the model, so removing them makes the
    data smaller that its plugins pass on, but saves no tokens at the provider. A message that holds nothing else
    keeps them. The markers of the newest step stay unless `newest` is on, because OpenCode may still be working on
    that step.
    """

    name: ClassVar[str] = "step_markers"
    seed: ClassVar[str] = "pruneStepMarkers"
    icon: ClassVar[str] = "🏁"

    newest: bool = False
    """Remove the markers of the newest step too, where `guards.same_turn.early` is on (the ACP plugin's rule)."""

    def inspect(self, piece: Piece, view: View) -> Iterator[Proposal]:
        if not isinstance(piece.part, Marker):
            return
        if any(not isinstance(part, Marker | Thinking) for part in view.message(piece.ref.message).parts):
            yield Proposal(
                piece.ref,
                Gone(),
                self.name,
                "bookkeeping that says nothing to the model",
                when=When(before_first_send=self.newest),
            )
