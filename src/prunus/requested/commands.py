"""Commands to Prunus that a user types in the chat: `/prunus sweep 3`, `/acp stats`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from prunus.clients.dialect import pattern
from prunus.clients.system_reminders import without_reminders
from prunus.edits import Move, Proposal
from prunus.history import Message, Text
from prunus.requested.targets import Permissions, discarded, restore_part
from prunus.text.numbers import as_number
from prunus.view.view import View

COMMANDS: Final = {
    "stats": "what was saved in this conversation",
    "context": "what fills the context",
    "sweep [n]": "cut the newest n results, or all since your last message",
    "manual on|off": "stop or resume cutting by itself",
    "restore ID": "bring back what was cut",
    "help": "this list",
}
"""The commands behind `/prunus` or `/acp`, and their effects."""

ANSWER: Final = "[Prunus] "
"""The beginning of every answer, by which Prunus recognises it later."""

_COMMAND: Final = re.compile(r"/(?:acp|prunus)(?:[ \t]++([^\n]*+))?", re.IGNORECASE)
_ANNOUNCED: Final = pattern("announced_command")
_OWN: Final = ("prunus:", "acp:")
"""How the names of our slash commands begin, if a plugin of the client defines them."""
_LONGEST: Final = 220
"""Characters that a command may have; a longer text is no command."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command and its words. An unknown command is answered with the list of all commands."""

    name: str
    words: tuple[str, ...] = ()

    def manual_after(self, manual: bool) -> bool:
        """Whether manual mode is on after this command, given whether it was on before."""
        if self.name != "manual" or not self.words:
            return manual
        return {"on": True, "off": False}.get(self.words[0], manual)


def read_command(text: str) -> Command | None:
    """Return the command in a text; None if the text says anything else. System reminders do not count."""
    alone = without_reminders(text).strip()
    found = _COMMAND.fullmatch(alone) if len(alone) <= _LONGEST else None
    if found is None:
        return None
    name, *words = (found[1] or "stats").lower().split()
    return Command(name, tuple(words))


def command_in(message: Message) -> tuple[tuple[int, ...], Command] | None:
    """Return the parts of a user's message that make up a command, and the command.

    None if the message says anything else. System reminders do not count.
    """
    if message.role != "user" or not message.spoken:
        return None
    texts = [(i, part.text) for i, part in enumerate(message.parts) if isinstance(part, Text)]
    said = [(i, text) for i, text in texts if without_reminders(text).strip()]
    announced = tuple(i for i, text in said if _announces_own(text))
    alone = [(i, text) for i, text in said if i not in announced]
    if len(alone) != 1:
        return None
    [(i, text)] = alone
    found = read_command(text)
    return None if found is None else ((*announced, i), found)


def _announces_own(text: str) -> bool:
    """Whether a text only says that the user has typed one of our slash commands."""
    found = _ANNOUNCED.fullmatch(text.strip())
    return found is not None and found[1].lower().startswith(_OWN)


def answers(message: Message) -> tuple[int, ...]:
    """Return the parts of a message that answers a command; none for any other message."""
    if message.role != "assistant" or not message.parts:
        return ()
    first = message.parts[0]
    if not isinstance(first, Text) or not first.text.startswith(ANSWER):
        return ()
    return tuple(range(len(message.parts))) if all(isinstance(p, Text) for p in message.parts) else ()


def carry_out(command: Command, at: int, view: View, rules: Permissions) -> Iterator[Move]:
    """Yield the moves that follow from a command in message `at`."""
    match command:
        case Command("sweep", words):
            yield from swept(words[0] if words else "", at, view, rules)
        case Command("restore", words):
            for name in words:
                ref = view.ids.get(name.strip("[]#,"))
                if ref is not None:
                    yield from restore_part(ref, view)


def swept(words: str, at: int, view: View, rules: Permissions) -> Iterator[Proposal]:
    """Yield the edits that sweep away results before message `at`.

    These are the newest results: as many as the words say, or all since the user last spoke.
    """
    count = as_number(words) if words.isdecimal() else None
    since = view.loops[at] - 1 if at < len(view.loops) else view.loop
    found = 0
    for use in reversed(view.uses):
        if use.result.message >= at or not rules.sweeps(use.tool) or not (use.ok or rules.errors):
            continue
        if found == count or (count is None and view.loops[use.result.message] < since):
            break
        found += 1
        edit = discarded(use.result, "", None, view, rules, "the user swept it away")
        if isinstance(edit, Proposal):
            yield edit
