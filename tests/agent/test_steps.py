"""A request cut into steps, and the chain of links between them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus.agent.steps import Step, root, steps_from
from prunus.providers import api_named, frame

USER: Any = {"role": "user", "content": "Go."}
SAID: Any = {"role": "assistant", "content": "Yes."}
TOLD: Any = {"role": "tool", "tool_call_id": "c", "content": "x"}
CHAT = api_named("openai_chat")
ROOT = root("", "", "openai_chat")


def steps(*messages: Any) -> list[Step]:
    raw = b",".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in messages)
    return [step for step, _ in steps_from(frame(b'{"messages": [%b]}' % raw, CHAT.name), CHAT, 0, ROOT)]


def test_a_step_begins_where_the_model_begins_to_speak() -> None:
    found = steps({"role": "system", "content": "s"}, USER, SAID, TOLD, TOLD, SAID, SAID, USER)
    assert [(step.start, step.end) for step in found] == [(0, 2), (2, 5), (5, 8)]
    assert [step.before for step in found[1:]] == [step.after for step in found[:-1]] and found[0].before == ROOT


def test_the_next_words_of_the_model_belong_to_its_current_step() -> None:
    whole, begun = steps(USER, SAID, USER), steps(USER, SAID)
    assert whole[-1].next == whole[-1].after
    assert begun[-1].next == begun[-1].before != begun[-1].after


@pytest.mark.parametrize(
    "odd",
    [
        b'{"role": "assistant", "content": "\xff"}',
        b'["assistant", "model"]',
        b"null",
        b'{"role": ["assistant"], "parts": "model"}',
        b'{"role": "assistant", "content": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_an_unreadable_message_is_not_the_models_but_still_counts(odd: bytes) -> None:
    try:
        found = steps(USER, odd)
    except Exception as error:
        assert type(error).__name__ == "FormatError"
        return
    assert len(found) == 1 and found[0].after != steps(USER)[0].after


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("text", [{"type": "text", "text": "text"}]),
        ("text", [{"type": "text", "text": "text", "cache_control": {"type": "ephemeral"}}]),
        ("text", "text\n<system-reminder>Hurry.</system-reminder>"),
        (
            "text",
            [
                {"type": "text", "text": "<system-reminder>Hurry.</system-reminder>"},
                {"type": "text", "text": "text"},
            ],
        ),
    ],
)
def test_markers_and_reminders_of_a_later_message_change_no_link(one: Any, other: Any) -> None:
    before, after = steps(USER, SAID, {**USER, "content": one}), steps(USER, SAID, {**USER, "content": other})
    assert before[-1].after == after[-1].after


def test_a_reminder_of_a_first_message_tells_two_projects_apart() -> None:
    hint = "<system-reminder>project {}</system-reminder>Go."
    one, other = (steps({**USER, "content": hint.format(name)}, SAID) for name in "ab")
    assert one[-1].next != other[-1].next


def test_a_message_that_is_only_a_reminder_may_come_and_go() -> None:
    hint = {"role": "user", "content": [{"type": "text", "text": "<system-reminder>Hurry.</system-reminder>"}]}
    assert steps(USER, SAID, TOLD, hint)[-1].after == steps(USER, SAID, TOLD)[-1].after


@pytest.mark.parametrize("depth", [100, 400, 900])
def test_a_deeply_nested_message_counts_with_its_own_bytes(depth: int) -> None:
    deep = [b'{"role": "user", "content": %b"%d"%b}' % (b"[" * depth, n, b"]" * depth) for n in range(2)]
    one, other = (steps(USER, SAID, message)[-1].after for message in deep)
    assert one != other != steps(USER, SAID)[-1].after
