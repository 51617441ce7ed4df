"""The content type guide: the seed's table, row by row, and the parts that it does not name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus import Settings
from prunus.agent.inspection import inspect
from prunus.history import Ref
from prunus.view.guide import advise
from tests.formats import call_and_result
from tests.strategies.fillers import filler

LONG = filler(40, "lines")


def step(n: int, tool: str, given: dict[str, Any], text: str = LONG, *, error: bool = False) -> list[Any]:
    call, result = call_and_result("anthropic_messages", f"t{n}", tool, given, text)
    result["content"][0]["is_error"] = error
    return [call, result]


def read(n: int, path: str = "/a.py") -> list[Any]:
    return step(n, "Read", {"file_path": path})


def todo(n: int, *items: str) -> list[Any]:
    return step(n, "TodoWrite", {"todos": [{"content": item, "status": "pending"} for item in items]}, "ok")


def fillers(count: int) -> list[Any]:
    return [message for n in range(count) for message in step(100 + n, "Lookup", {"n": n}, "ok")]


def said(ref: Ref, *messages: Any, **more: Any) -> str:
    body = {"model": "claude-x", "messages": [{"role": "user", "content": "Go."}, *messages], **more}
    look = inspect(json.dumps(body).encode(), Settings(preset="off"), None)
    return str(advise(ref, look.engine.view))


FIRST = Ref(2, 0)
"""The result of the first call."""


@pytest.mark.parametrize(
    ("messages", "later", "words"),
    [
        (read(1), 0, "keep: just read"),
        (read(1), 4, "keep: just read"),
        (read(1), 5, "discard: can re-read"),
        (read(1), 9, "discard: can re-read"),
        (step(1, "Bash", {"command": "make"}, f"Error: no\n{LONG}", error=True), 0, "keep: debugging"),
        (step(1, "Bash", {"command": "make"}, f"Error: no\n{LONG}", error=True), 2, "keep: debugging"),
        (
            step(1, "Bash", {"command": "make"}, f"Error: no\n{LONG}", error=True),
            3,
            "auto-pruned: error of 3 turns ago",
        ),
        (todo(1, "Look"), 9, "keep: critical state"),
        ([*todo(1, "Look"), *todo(2, "Build")], 0, "auto-pruned: superseded"),
        (step(1, "Bash", {"command": "make"}), 4, "keep: recent"),
        (step(1, "Bash", {"command": "make"}), 5, "discard: old output"),
        (
            step(1, "Edit", {"file_path": "/a.py", "old_string": "a", "new_string": "b"}),
            9,
            "keep: work that was done",
        ),
    ],
)
def test_results_by_type_and_age(messages: list[Any], later: int, words: str) -> None:
    assert said(FIRST, *messages, *fillers(later)) == words


def test_a_file_that_is_being_edited_stays_however_long_ago_it_was_read() -> None:
    edit = step(50, "Edit", {"file_path": "/a.py", "old_string": "a", "new_string": "b"}, "ok")
    assert said(FIRST, *read(1), *fillers(6), *edit) == "keep: its file is being edited"


def test_reasoning_is_to_be_distilled() -> None:
    call, result = read(1)
    call = {**call, "content": [{"type": "thinking", "thinking": LONG, "signature": "s"}, *call["content"]]}
    assert said(Ref(1, 0), call, result) == "distill: keep the conclusion"


def test_the_words_of_the_user_stay() -> None:
    assert said(Ref(0, 0), *read(1), *fillers(9)) == "keep: user instructions"


@pytest.mark.parametrize(
    ("colour", "words"),
    [
        ("🔴", "keep: a 🔴 item of the todo list names it"),
        ("🟡", "keep: a 🟡 item of the todo list names it"),
        ("🟢", "discard: can re-read"),
        ("🔵", "discard: a 🔵 item of the todo list names it"),
    ],
)
def test_a_coloured_item_gives_its_priority_to_the_content_it_names(colour: str, words: str) -> None:
    assert said(FIRST, *read(1), *fillers(5), *todo(50, f"{colour} note: /a.py")) == words
