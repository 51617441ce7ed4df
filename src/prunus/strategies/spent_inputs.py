from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Input, Proposal, When
from prunus.proposals import bare_input
from prunus.view.view import View


@dataclass(frozen=True, slots=True)
class SpentInputs:
    """The bulky input of a call that another strategy found superseded.

    A write that was overwritten still carries the whole old file in its arguments. The arguments that identify the
    call stay (`filePath` and the like); the others are removed. Nothing takes their place, because models copy
    placeholders into files.
    """

    name: ClassVar[str] = "spent_inputs"
    seed: ClassVar[str] = "pruneToolInputs, input leak"
    icon: ClassVar[str] = "✂️"

    over: int = 100
    """Inputs that would lose fewer characters stay whole."""

    def follow(self, edit: Proposal, view: View) -> Iterator[Proposal]:
        use = view.by_ref.get(edit.target) if edit.ends_call else None
        if use is None or edit.strategy == self.name:
            return
        kept = bare_input(use, view, self.over)
        if kept is not None:
            yield Proposal(
                use.call,
                Input(kept),
                self.name,
                edit.reason,
                cause=edit.cause,
                when=When(edit.when.from_turn),
                ends_call=True,
                follows=edit.strategy,
            )
