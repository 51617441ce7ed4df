"""What a user's command does to the history: sweep and restore."""

from __future__ import annotations

from collections.abc import Iterator

from prunus.edits import Move, Proposal
from prunus.numbers import as_number
from prunus.requested.command import Command
from prunus.requested.targets import Rules, discarded, kept
from prunus.view import Use, View

__all__ = ["swept", "wishes"]


def wishes(command: Command, at: int, view: View, rules: Rules) -> Iterator[Move]:
    """The edits that follow from a command in message `at`."""
    match command:
        case Command("sweep", words):
            for use in swept(words[0] if words else "", at, view, rules):
                edit = discarded(use.result, "", None, view, rules, "the user swept it away")
                if isinstance(edit, Proposal):
                    yield edit
        case Command("restore", words):
            for name in words:
                ref = view.ids.get(name.strip("[]#,"))
                if ref is not None:
                    yield from kept(ref, view)


def swept(words: str, at: int, view: View, rules: Rules) -> list[Use]:
    """The newest results before a message: as many as given, or all since the user spoke before."""
    count = as_number(words) if words.isdecimal() else None
    since = view.loops[at] - 1 if at < len(view.loops) else view.loop
    found: list[Use] = []
    for use in reversed(view.uses):
        if use.result.message >= at or not rules.sweeps(use.tool) or not (use.ok or rules.errors):
            continue
        if len(found) == count or (count is None and view.loops[use.result.message] < since):
            break
        found.append(use)
    return found
