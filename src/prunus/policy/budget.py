"""What fills the context, by the seeds' categories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from prunus.guide import RECENT
from prunus.history import Call, Ref, Result, Text, Thinking
from prunus.view import View, weigh

__all__ = ["CATEGORIES", "Category", "budget", "thinking_tokens"]

Category = Literal["system", "todos", "current files", "recent results", "working memory", "historical"]

CATEGORIES: Final[dict[Category, str]] = {
    "system": "system text and tools",
    "todos": "the newest todo list",
    "current files": "reads and changes of the files in use",
    "recent results": f"other results of the last {RECENT} turns",
    "working memory": "the user's words, and the assistant's of this loop",
    "historical": "everything else",
}


def budget(view: View, around: int, saved: Callable[[Ref], int] = lambda ref: 0) -> dict[Category, int]:
    """The tokens of each category; `around` stands beside the messages, `saved` is what edits took from a part."""
    tokens: dict[Category, int] = dict.fromkeys(CATEGORIES, 0)
    tokens["system"] = around
    newest = {
        touch.path: use.index for use in view.uses if use.ok for touch in use.touches if _recent(use.turn, view)
    }
    for index in range(len(view.turns)):
        message = view.message(index)
        for number, part in enumerate(message.parts):
            ref = Ref(index, number)
            tokens[_category(ref, message.role, part, view, newest)] += weigh(part, view.counter) - saved(ref)
    return tokens


def thinking_tokens(view: View, saved: Callable[[Ref], int] = lambda ref: 0) -> int:
    """The tokens of all reasoning."""
    return sum(
        weigh(part, view.counter) - saved(Ref(index, number))
        for index in range(len(view.turns))
        for number, part in enumerate(view.message(index).parts)
        if isinstance(part, Thinking)
    )


def _category(ref: Ref, role: str, part: object, view: View, newest: dict[str, int]) -> Category:
    use = view.by_ref.get(ref)
    if role == "system":
        return "system"
    if isinstance(part, Call | Result) and use is not None:
        if use.meaning.kind == "todo" and view.newest.get(("todo", use.meaning.key)) == use.index:
            return "todos"
        if any(touch.path in newest for touch in use.touches):
            return "current files"
        return "recent results" if _recent(use.turn, view) else "historical"
    if role == "user" and isinstance(part, Text):
        return "working memory"
    if isinstance(part, Text | Thinking) and view.loops[ref.message] >= view.loop:
        return "working memory"
    return "working memory" if use is None and _recent(view.turns[ref.message], view) else "historical"


def _recent(turn: int, view: View) -> bool:
    return view.turn - turn < RECENT
