from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from prunus.edits import OWN_WORDS, Added, Gone, Move, Proposal, Shorter
from prunus.history import Ref, Text
from prunus.notes import without_repeated_ids
from prunus.proposals import is_protected
from prunus.requested.commands import Command, answers, carry_out, command_in
from prunus.requested.request import is_prune, parse
from prunus.requested.targets import ACKNOWLEDGED, Choice, choices, complaints
from prunus.view.uses import Piece, Use
from prunus.view.view import View

_STATUS: Final = "「"
"""How a status line begins. An answer that has one was completed already."""


@dataclass(frozen=True, slots=True)
class Requested:
    """Edits that the agent requests with `context_prune`, and the user with `/prunus`.

    Prunus reads these calls and commands from the history, so nothing else has to be stored. It makes the requested
    edits at once, whatever the schedule says. The model never sees the user's commands and their answers, nor ids
    that the model repeated in its own text.
    """

    name: ClassVar[str] = "asked"
    seed: ClassVar[str] = "context_prune"
    icon: ClassVar[str] = "🗑️"

    protected: tuple[str, ...] = (
        "*context_info", "*context_prune", "task", "agent", "todo*", "write_todos", "update_plan", "batch",
        "write", "write_file", "edit", "multiedit", "apply_patch", "replace", "plan_enter", "plan_exit",
    )  # fmt: skip
    """Tools whose results the agent may not discard, in upper or lower case; `*` and `?` are wildcards."""
    discard: bool = True
    """Whether the agent may discard content."""
    distill: bool = True
    """Whether the agent may replace content by a summary."""
    messages: bool = True
    """Whether the agent may discard its own text."""
    thinking: bool = True
    """Whether the agent may discard its reasoning."""
    errors: bool = True
    """Whether the agent may discard the results of failed calls."""
    unswept: tuple[str, ...] = ()
    """Further tools whose results the user's `sweep` leaves alone."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return ("decisions",) if use.ok and is_prune(use.tool) else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Move]:
        for choice in self._choices(use, earlier, view):
            yield from choice.moves

    def complete_answer(self, use: Use, found: Sequence[Choice], status: str, view: View) -> Iterator[Proposal]:
        """Return the full answer of a tool that cannot see the history.

        The answer says what was pruned, and what could not be done.
        """
        answer = view.result(use).text
        words = [text for text in (complaints(parse(view.call(use).input), found), status) if text]
        is_complete = _STATUS in answer or any(text in answer for text in words)
        if words and not is_complete:
            why = "a tool that cannot see the history did not know"
            yield Proposal(use.result, Added(" ".join(("", *words))), self.name, why, when=OWN_WORDS)

    def acknowledged_choices(self, use: Use, view: View) -> tuple[Choice, ...]:
        """Return the requests of a call that its tool only acknowledged; nothing for any other call."""
        if not is_prune(use.tool) or not use.ok:
            return ()
        result = view.result(use)
        return self.choices(use, view) if ACKNOWLEDGED in result.text and result.texts else ()

    def choices(self, use: Use, view: View) -> tuple[Choice, ...]:
        """Return the requests of one call, target by target."""
        earlier = [before for before in view.uses[: use.index] if any(self.groups(before))]
        return self._choices(use, earlier, view)

    def _choices(self, use: Use, earlier: Sequence[Use], view: View) -> tuple[Choice, ...]:
        return choices(parse(view.call(use).input), use, earlier, view, self)

    def inspect(self, piece: Piece, view: View) -> Iterator[Move]:
        part = piece.part
        if piece.role == "assistant" and isinstance(part, Text):
            text = without_repeated_ids(part.text, view.ids)
            if text != part.text and text.strip():
                yield Proposal(piece.ref, Shorter(text), self.name, "ids that the model repeated", when=OWN_WORDS)
        command = self.command(piece, view)
        if command is not None:
            at = piece.ref.message - 2
            for message in (at, at + 1):
                yield from self._left_out(message, view)
            yield from carry_out(command, at, view, self)

    def command(self, piece: Piece, view: View) -> Command | None:
        """Return the answered command of the user right before a message of the user; None if there is none."""
        at = piece.ref.message - 2
        if piece.role != "user" or at < 0 or not answers(view.message(at + 1)) or not _is_typed(at, view):
            return None
        # The message may have several parts. Its first text decides, or its first file if it has no text.
        kinds = view.shapes[piece.ref.message].kinds
        if piece.ref.part != kinds.index(Text if Text in kinds else type(piece.part)):
            return None
        found = command_in(view.message(at))
        return None if found is None else found[1]

    def _left_out(self, message: int, view: View) -> Iterator[Move]:
        """Propose to remove a command or its answer, which the model never sees."""
        found = command_in(view.message(message))
        for part in answers(view.message(message)) if found is None else found[0]:
            yield Proposal(Ref(message, part), Gone(), self.name, "a command to Prunus", when=OWN_WORDS)

    def forbids(self, tool: str) -> bool:
        """Whether the agent may not discard the results of a tool."""
        return is_protected(tool, self.protected)

    def sweeps(self, tool: str) -> bool:
        """Whether the user's `sweep` may take the results of a tool."""
        return not self.forbids(tool) and not is_protected(tool, self.unswept)


def _is_typed(at: int, view: View) -> bool:
    """Whether the user wrote a message, so that it cannot be the output of a tool."""
    while not view.apart and at > 1 and answers(view.message(at - 1)):
        at -= 2
    return view.apart or not view.turns[at]
