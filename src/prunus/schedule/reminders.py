"""Short reminders for the model: when they are due, and their text.

Whether a reminder is due follows from the history alone, so nothing has to be remembered. Only one reminder stands
in a request, at the end of the newest message. It stays there until a flush removes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from prunus.history import Marker, Message, Result, Text
from prunus.notes import has_reminder
from prunus.view.todos import Task, tasks_in
from prunus.view.uses import Piece, Use
from prunus.view.view import View

_OPEN: Final = frozenset({"pending", "in_progress", "in-progress", "todo", "not-started", "open"})
_RUNNING: Final = frozenset({"in_progress", "in-progress"})
_STEP: Final = 0.05
"""How much fuller the context has to get before the reminder is repeated."""


@dataclass(frozen=True, slots=True)
class Reminders:
    """Short reminders to the model at the end of the newest message; off unless the preset turns them on."""

    todo: bool = False
    """Remind the model of the todo list."""
    todo_after: int = 5
    """Turns without an update of the todo list before the first reminder."""
    todo_every: int = 4
    """Turns between two todo reminders."""
    stuck_after: int = 12
    """A task counts as stuck after this many turns in progress."""
    max_context: int = 0
    """The todo reminder says how full the context is, relative to this many tokens; 0 omits this."""
    pressure: bool = False
    """Tell the model when the context fills up."""
    pressure_at: float = 0.75
    """The share of the model's window at which the model is told."""
    reflection: bool = False
    """Ask the model to pause and reflect, once the user has used the keyword."""
    reflection_word: str = "automata"
    """The keyword for reflection."""
    reflection_after: int = 8
    """Turns between two pauses for reflection."""

    def words(
        self, view: View, called: int | None, before: float, now: float, advice: str = "", tokens: int = 0
    ) -> str:
        """Return the text that is due in this turn.

        `called` is the turn of the user's keyword; `before` and `now` are the shares of the window in use; `advice`
        belongs to the level of pressure; `tokens` is the size of the whole request.
        """
        return (
            (self._full(before, now, advice) if self.pressure else "")
            or (self._checkpoint(view, tokens) if self.todo else "")
            or (self._reflect(view, called) if self.reflection else "")
        )

    def calls_for_reflection(self, piece: Piece) -> bool:
        """Whether the user asks for reflection in this text."""
        if not self.reflection or not self.reflection_word or piece.role != "user":
            return False
        return isinstance(piece.part, Text) and self.reflection_word.lower() in piece.part.text.lower()

    def _full(self, before: float, now: float, advice: str) -> str:
        if now < self.pressure_at or _steps(before, self.pressure_at) >= _steps(now, self.pressure_at):
            return ""
        return f"the context is {now:.0%} full. {advice}"

    def _checkpoint(self, view: View, tokens: int) -> str:
        """The reminder of the todo list, with how full the context is by the size that counts as full."""
        words = self._todo(view)
        if not words or not self.max_context:
            return words
        return f"{words} Context pressure: {min(1.0, tokens / self.max_context):.0%}."

    def _todo(self, view: View) -> str:
        writes = [use for use in reversed(view.uses) if use.meaning.kind == "todo" and use.ok]
        newest = next((use for use in writes if use.meaning.key == "todo:write"), None)
        if newest is None:
            if not _due(view.turn, self.todo_after, self.todo_every):
                return ""
            return f"there is no todo list after {view.turn} turns; write down what is done and what is left to do."
        listed = tasks_in(view.call(newest).input)
        open_ = [task for task in listed if task.status in _OPEN]
        if not open_:
            return ""
        stuck = self._stuck(view, writes, [task for task in listed if task.status in _RUNNING])
        since = view.turn - writes[0].turn
        if stuck or not _due(since, self.todo_after, self.todo_every):
            return stuck
        count = f"{len(open_)} open task{'s' * (len(open_) > 1)}"
        return (
            f"the todo list has {count} and was not updated for {since} turns; update it if something has changed."
        )

    def _stuck(self, view: View, writes: list[Use], running: list[Task]) -> str:
        if not self.stuck_after or not running:
            return ""
        ages = {task: view.turn - _begun(task, writes, view) for task in running}
        longest = max(ages, key=lambda task: ages[task])
        age = ages[longest]
        if not _due(age, self.stuck_after, self.todo_every):
            return ""
        name = " ".join(longest.name.split())[:80].replace("[", "(").replace("]", ")")
        return f'"{name}" has been in progress for {age} turns; finish it, split it up, or say what is in the way.'

    def _reflect(self, view: View, called: int | None) -> str:
        if called is None or not self.reflection_after:
            return ""
        if not _due(view.turn - called, self.reflection_after, self.reflection_after):
            return ""
        return "pause for a moment: is this still the shortest way to what the user wants, and what did you learn?"


def place_for(message: Message) -> int | None:
    """Return the part behind whose text a reminder may stand; None if a reminder stands there already.

    No reminder stands behind words of the model. In some formats, messages of the model contain results too.
    """
    for i, part in reversed(list(enumerate(message.parts))):
        if isinstance(part, Marker):
            continue
        spoken = isinstance(part, Text) and message.role == "assistant"
        if spoken or not isinstance(part, Text | Result) or has_reminder(part.text):
            return None
        if isinstance(part, Text) or part.texts:
            return i
    return None


def _due(age: int, after: int, every: int) -> bool:
    if age < after:
        return False
    return age == after if not every else (age - after) % every == 0


def _steps(share: float, start: float) -> int:
    """Return how many steps past the start a share is; -1 below the start."""
    return -1 if share < start else int((share - start) / _STEP)


def _begun(task: Task, writes: list[Use], view: View) -> int:
    """Return the turn since which a task has been in progress without a break; `writes` come newest first."""
    begun = writes[0].turn
    for use in writes:
        if use.meaning.key != "todo:write":
            continue
        listed = tasks_in(view.call(use).input)
        same = [other for other in listed if (other.id and other.id == task.id) or other.name == task.name]
        if not any(other.status in _RUNNING for other in same):
            break
        begun = use.turn
    return begun
