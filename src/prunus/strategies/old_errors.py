from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.calls.results import body_of
from prunus.edits import Input, Proposal, Shorter, When
from prunus.notes import error_note
from prunus.proposals import bare_input, is_protected
from prunus.view.uses import Use
from prunus.view.view import View

_EXIT = re.compile(r"^.*\b(?:exited with code|exit code)\b.*$", re.IGNORECASE | re.MULTILINE)
_WRAPPING = re.compile(
    r"\s*+(?:(?:<\w+>|\(empty\)|Command: .*+|Directory: .*+|Output: \(empty\)|Error: \(none\))\s*+)?\Z"
)
_TRACEBACK = "Traceback (most recent call last):"
_REPORT = re.compile(rf"\s*(?:(?:\w++\.)*+\w*(?:Error|Exception)(?: \[\w+\])?: |{re.escape(_TRACEBACK)})")
"""How the report of a failure begins, in formats that do not flag failed calls."""
_EDGE = 400
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class OldErrors:
    """The long text of an error some turns back, and the input of the call that failed.

    The first line says what went wrong; the stack trace below it is read once. The first line stays, with a note of
    how much was cut. Of a Python traceback, the line with the exception stays too. Some turns later, the bulky
    input of the failed call goes too.

    If the format does not say whether a call failed, an output that begins like `TypeError: ` or like a traceback
    counts as an error.
    """

    name: ClassVar[str] = "old_errors"
    seed: ClassVar[str] = "truncateOldErrors, purgeErrors"
    icon: ClassVar[str] = "❌"

    turns: int = 3
    """Errors older than this many turns are shortened."""
    inputs: int = 4
    """Inputs of failed calls go after this many turns."""
    protected: tuple[str, ...] = ()
    """Tools whose failed calls keep their inputs, in upper or lower case; `*` and `?` are wildcards."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        return (None,) if use.outcome != "ok" else ()

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Proposal]:
        whole = view.result(use).text
        if use.outcome == "unknown" and not _REPORT.match(body_of(use.tool, whole), 0, _EDGE):
            return
        if use.visible:
            text = f"{_headline(use.tool, whole)}\n{error_note(len(whole))}"
            reason = f"an error older than {self.turns} turns"
            yield Proposal(use.result, Shorter(text), self.name, reason, when=When(use.turn + self.turns + 1))
        kept = None if is_protected(use.tool, self.protected) else bare_input(use, view, over=0)
        if kept is not None:
            reason = f"the call failed {self.inputs} turns ago"
            yield Proposal(use.call, Input(kept), self.name, reason, when=When(use.turn + self.inputs))


def _headline(tool: str, text: str) -> str:
    """The first lines that say what went wrong, and before them the client's line with the exit code, if any."""
    output = body_of(tool, text)
    wrapped = output != text or _EXIT.match(text) or text.startswith("Command: ")
    code = (_EXIT.search(text[:_EDGE]) or _EXIT.search(text[-_EDGE:])) if wrapped else None
    lines = (line for line in output.splitlines() if not _WRAPPING.match(line) and not _EXIT.match(line))
    first = next(lines, "").removeprefix("Output: ")
    raised = next((line for line in lines if not line[0].isspace()), "") if first == _TRACEBACK else ""
    return "\n".join(line.strip()[:_LONGEST] for line in (code[0] if code else "", first, raised) if line.strip())
