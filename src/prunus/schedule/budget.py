"""The tokens of a context by the ACP plugin's categories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from prunus.history import Call, Ref, Result, Text, Thinking
from prunus.view.guide import RECENT
from prunus.view.view import View

Category = Literal["system", "todos", "current files", "recent results", "working memory", "historical"]

CATEGORIES: Final[dict[Category, str]] = {
    "system": "system text and tools",
    "todos": "the newest todo list",
    "current files": "reads and changes of the files in use",
    "recent results": f"other results of the last {RECENT} turns",
    "working memory": "the user's words, and the assistant's of this loop",
    "historical": "everything else",
}


@dataclass(frozen=True, slots=True)
class Budget:
    """How many tokens each category may take, and the total after which a summary is needed."""

    system: int = 5_000
    """Tokens for system text and tools."""
    todos: int = 2_000
    """Tokens for the newest todo list."""
    current_files: int = 10_000
    """Tokens for reads and changes of the files in use."""
    recent_results: int = 15_000
    """Tokens for other results of the last turns."""
    working_memory: int = 20_000
    """Tokens for the user's text, and for the assistant's text of this loop."""
    historical: int = 76_000
    """Tokens for everything else."""
    window: int = 128_000
    """The context window that these numbers are for; they scale with the window of the model."""
    share: float = 1.0
    """The share of the model's window that may be used before the history has to be summarised."""

    def total(self, window: int) -> int:
        """Return the tokens of a window that may be used."""
        return round(self.share * window)

    def allowed(self, window: int) -> dict[Category, int]:
        """Return the tokens of a window that each category may take."""
        scale = self.total(window) / max(1, self.window)
        return {name: round(getattr(self, name.replace(" ", "_")) * scale) for name in CATEGORIES}


def headroom(used: int, window: int, allowance: Budget) -> str:
    """Say in one sentence how many tokens are left before the history has to be summarised."""
    total = allowance.total(window)
    left = total - used
    room = f"{left:,} left before a summary" if left >= 0 else f"{-left:,} over it, a summary is due"
    return f"Budget: {total:,} tokens ({allowance.share:.0%} of the window), {room}."


def budget(view: View, around: int, saved: Callable[[Ref], int] = lambda ref: 0) -> dict[Category, int]:
    """Return the tokens of each category.

    `around` is the number of tokens outside the messages, `saved` gives the tokens that edits removed from a part.
    """
    tokens: dict[Category, int] = dict.fromkeys(CATEGORIES, 0)
    tokens["system"] = around
    in_use = {touch.path for use in view.uses if use.ok and _recent(use.turn, view) for touch in use.touches}
    for index, shape in enumerate(view.shapes):
        for number, (kind, weight) in enumerate(zip(shape.kinds, shape.tokens, strict=True)):
            ref = Ref(index, number)
            tokens[_category(ref, shape.role, kind, view, in_use)] += weight - saved(ref)
    return tokens


def thinking_tokens(view: View, saved: Callable[[Ref], int] = lambda ref: 0) -> int:
    """The tokens of all reasoning."""
    return sum(
        weight - saved(Ref(index, number))
        for index, shape in enumerate(view.shapes)
        for number, (kind, weight) in enumerate(zip(shape.kinds, shape.tokens, strict=True))
        if kind is Thinking
    )


def _category(ref: Ref, role: str, kind: type, view: View, in_use: set[str]) -> Category:
    use = view.by_ref.get(ref)
    if role == "system":
        return "system"
    if kind in (Call, Result) and use is not None:
        if use.meaning.kind == "todo" and view.is_newest(use):
            return "todos"
        if any(touch.path in in_use for touch in use.touches):
            return "current files"
        return "recent results" if _recent(use.turn, view) else "historical"
    if role == "user" and kind is Text:
        return "working memory"
    if kind in (Text, Thinking) and view.loops[ref.message] >= view.loop:
        return "working memory"
    return "working memory" if use is None and _recent(view.turns[ref.message], view) else "historical"


def _recent(turn: int, view: View) -> bool:
    return view.turn - turn < RECENT
