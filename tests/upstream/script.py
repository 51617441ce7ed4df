"""The script that the model of the upstream follows, and which step of it a request is at.

Nothing is remembered between requests: the ids of the calls in the history say which steps were made. A client that
compacts its history keeps the note of the summary, which says it too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.upstream.intents import Intent, as_call, submission
from tests.upstream.signing import call_id, place
from tests.upstream.values import TRIGGER, Call, Past, Tool, Turn

__all__ = ["Script", "Step", "wants_summary"]

_NOTE = re.compile(r"\(script: (\d+) steps made\)")
_TASKS = ("Your task is to create a detailed summary of", "CONTEXT CHECKPOINT COMPACTION", TRIGGER)
"""What clients write when they want to compact their history: Claude Code, Codex, and Codex on its own provider."""


def wants_summary(past: Past) -> bool:
    """Whether a client compacts its history with a request."""
    return any(task in text for text in past.heard[-1:] for task in _TASKS)


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the model: words, then calls side by side. Without calls it ends the turn of the user."""

    calls: tuple[Intent, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """The steps, and the folder in which the client works."""

    steps: tuple[Step, ...]
    root: str = "."
    title: str = "A short title"
    """The answer to requests without tools, such as those for a title."""

    def turn(self, past: Past, tools: Sequence[Tool], tag: str, *, thinking: bool) -> Turn:
        """What the model does next."""
        done = self.steps_made(past)
        if wants_summary(past):
            return Turn(-1, f"<summary>All went well. (script: {done} steps made)</summary>")
        if not tools:
            return Turn(-1, self.title)
        for number in range(done, len(self.steps)):
            step = self.steps[number]
            calls = self._calls(step, number, past, tools, tag)
            if step.calls and not calls:
                continue
            words = step.text or f"Step {number}."
            if not step.calls and (end := submission(words, tools, past)):
                calls = (Call(call_id(tag, number, 0), *end),)
                words = f"Step {number}."
            thought = f"Step {number} comes next, because what came before it was done. " * 6 if thinking else ""
            return Turn(number, words, calls, thought, tag)
        return Turn(len(self.steps), "Nothing is left to do.")

    def steps_made(self, past: Past) -> int:
        """How many steps the history shows."""
        done = [found[1] + 1 for id in past.ids if (found := place(id))]
        done += [n + 1 for n, s in enumerate(self.steps) if s.text and not s.calls and s.text in past.said]
        done += [int(number) for text in (*past.heard, *past.said) for number in _NOTE.findall(text)]
        return max(done, default=0)

    def _calls(self, step: Step, number: int, past: Past, tools: Sequence[Tool], tag: str) -> tuple[Call, ...]:
        ids = {(n, i): call_id(tag, n, i) for n, s in enumerate(self.steps) for i in range(len(s.calls))}
        made = [as_call(intent, tools, self.root, past, ids) for intent in step.calls]
        return tuple(Call(call_id(tag, number, i), *call) for i, call in enumerate(made) if call)
