"""The system text that tells an agent how to look after its context."""

from __future__ import annotations

from typing import Final

from prunus.settings import Settings

__all__ = ["guidance"]

_TEXT: Final = """\
# Looking after your context

`context_prune` takes out of the context what you no longer need; `context_info` shows how full it is and what \
could go. What may go has an id behind it. Superseded reads, old todo lists and old errors go by themselves.

Prune the elaborate, anchor the essential. Elaborate: files you have analysed, output of finished steps, reasoning \
whose conclusion you have written down. Essential: the task and its todo list, what the user demands, recent \
conclusions, files you are editing.

How full the context is decides what to do:
- below {moderate}: nothing.
- from {moderate}: discard old tool results and old messages; distill long reasoning.
- from {high}: anchor in the todo list what must not be lost, then discard all that is disposable.
- from {critical}: if you can finish the task without the history, discard [*] and concentrate on the task; \
otherwise discard single parts and anchor what is critical.

What each kind of content asks for:
- a file you have just read: keep it; one from 5 or more turns ago: discard it, you can read it again. \
[old] names all of these.
- your analysis: distill it to its conclusion.
- an error of the last 3 turns, the newest todo list: keep them.
{kept} cannot be discarded.

Prune in good time and in batches, beside your work. Never mention ids or pruning to the user."""


def guidance(settings: Settings | None = None) -> str:
    """The text for the system prompt of an agent that has `context_prune`; empty where `agent.guidance` is off.

    It depends on the settings alone, so that it is the same in every request and the prompt cache holds.
    """
    settings = settings or Settings()
    if not settings.agent.guidance:
        return ""
    levels = settings.active_pressure()
    kept = (
        "Edits, writes and todo lists" if settings.strategies.asked.errors else "Failed calls, edits and todo lists"
    )
    return _TEXT.format(
        moderate=f"{levels.moderate:.0%}", high=f"{levels.high:.0%}", critical=f"{levels.critical:.0%}", kept=kept
    )
