from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from prunus.edits import OWN_WORDS, Added, Gone, Move, Proposal, Shorter
from prunus.history import Call, Ref, Result, Text
from prunus.notes import unechoed
from prunus.proposals import is_protected
from prunus.requested.commands import Command, answers, carry_out, command_in, read_command
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

    def completed(self, use: Use, found: Sequence[Choice], status: str, view: View) -> Iterator[Proposal]:
        """Return the full answer of a tool that cannot see the history.

        The answer says what was pruned, and what could not be done.
        """
        result, call = view.part(use.result), view.part(use.call)
        if not isinstance(result, Result) or not isinstance(call, Call):
            return
        words = [text for text in (complaints(parse(call.input), found), status) if text]
        told = _STATUS in result.text or any(text in result.text for text in words)
        if words and not told:
            why = "a tool that cannot see the history did not know"
            yield Proposal(use.result, Added(" ".join(("", *words))), self.name, why, when=OWN_WORDS)

    def acknowledged(self, use: Use, view: View) -> tuple[Choice, ...]:
        """Return the requests of a call that its tool only acknowledged; nothing for any other call."""
        if not is_prune(use.tool) or not use.ok:
            return ()
        result = view.part(use.result)
        if not isinstance(result, Result) or ACKNOWLEDGED not in result.text or not result.texts:
            return ()
        return self.choices(use, view)

    def choices(self, use: Use, view: View) -> tuple[Choice, ...]:
        """Return the requests of one call, target by target."""
        earlier = [before for before in view.uses[: use.index] if any(self.groups(before))]
        return self._choices(use, earlier, view)

    def _choices(self, use: Use, earlier: Sequence[Use], view: View) -> tuple[Choice, ...]:
        call = view.part(use.call)
        if not isinstance(call, Call):
            return ()
        return choices(parse(call.input), use, earlier, view, self)

    def inspect(self, piece: Piece, view: View) -> Iterator[Move]:
        part = piece.part
        if not isinstance(part, Text):
            return
        if piece.role == "assistant":
            text = unechoed(part.text, view.ids)
            if text != part.text and text.strip():
                yield Proposal(piece.ref, Shorter(text), self.name, "ids that the model repeated", when=OWN_WORDS)
            return
        command = self._command(piece, view)
        if command is not None:
            asked = piece.ref.message - 2
            for message in (asked, asked + 1):
                yield from self._left_out(message, view)
            yield from carry_out(command, asked, view, self)

    def _command(self, piece: Piece, view: View) -> Command | None:
        """The command right before a message of the user, once it has been answered."""
        asked = piece.ref.message - 2
        if piece.role != "user" or asked < 0 or not answers(view.message(asked + 1)) or not _typed(asked, view):
            return None
        first = next(i for i, part in enumerate(view.message(piece.ref.message).parts) if isinstance(part, Text))
        found = command_in(view.message(asked)) if piece.ref.part == first else None
        return None if found is None else found[1]

    def _left_out(self, message: int, view: View) -> Iterator[Move]:
        """Propose to remove a command or its answer, which the model never sees."""
        found = command_in(view.message(message))
        for part in answers(view.message(message)) if found is None else found[0]:
            yield Proposal(Ref(message, part), Gone(), self.name, "a command to Prunus", when=OWN_WORDS)

    def obey(self, command: str, at: int, view: View) -> Iterator[Move]:
        """The moves that follow from a command that was given outside of the history, before message `at`."""
        found = read_command(f"/prunus {command}")
        if found is not None:
            yield from carry_out(found, at, view, self)

    def switched(self, command: str, manual: bool) -> bool:
        """Return whether manual mode is on after such a command, given whether it was on before."""
        found = read_command(f"/prunus {command}")
        return manual if found is None else found.switched(manual)

    def manual(self, piece: Piece, view: View, now: bool) -> bool:
        """Return whether manual mode is on after a message, given whether it was on before."""
        command = self._command(piece, view)
        return now if command is None else command.switched(now)

    def forbids(self, tool: str) -> bool:
        """Whether the agent may not discard the results of a tool."""
        return is_protected(tool, self.protected)

    def sweeps(self, tool: str) -> bool:
        """Whether the user's `sweep` may take the results of a tool."""
        return not self.forbids(tool) and not is_protected(tool, self.unswept)


def _typed(at: int, view: View) -> bool:
    """Whether the user wrote a message, so that it cannot be the output of a tool."""
    while not view.apart and at > 1 and answers(view.message(at - 1)):
        at -= 2
    return view.apart or not view.turns[at]
