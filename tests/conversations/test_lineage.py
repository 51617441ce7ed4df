"""A history that was sent again shortened, into a tool loop whose reasoning had been cut since."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from prunus import Outcome, Pruner, Settings
from tests.conversations.test_memory import Shelf
from tests.strategies.fillers import filler

Message = dict[str, Any]
LOG: Final = "".join(f"line {n} of what was printed\n" for n in range(30))
SYSTEM: Final = filler(500, "lines")
"""Longer than the shortest prefix that is cached, so that a request without its reasoning still is."""


def thought(n: int) -> str:
    return f"I have thought about step {n}. " * 8


def anthropic(n: int) -> list[Message]:
    thinking = {"type": "thinking", "thinking": thought(n), "signature": "c2ln" * 40}
    call = {"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": {"command": f"make {n}"}}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"{n}\n{LOG}"}
    return [{"role": "assistant", "content": [thinking, call]}, {"role": "user", "content": [result]}]


def responses(n: int) -> list[Message]:
    """With words between the reasoning and the call, so that the one can go without the other."""
    summary = [{"type": "summary_text", "text": thought(n)}]
    return [
        {"type": "reasoning", "encrypted_content": "RU5D" * 40, "summary": summary},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I try it."}]},
        {
            "type": "function_call",
            "call_id": f"call_{n}",
            "name": "shell",
            "arguments": json.dumps({"command": ["make", str(n)]}),
        },
        {"type": "function_call_output", "call_id": f"call_{n}", "output": f"{n}\n{LOG}"},
    ]


def chat(n: int) -> list[Message]:
    call = {
        "id": f"c{n}",
        "type": "function",
        "function": {"name": "bash", "arguments": f'{{"command": "make {n}"}}'},
    }
    said = {"role": "assistant", "content": None, "reasoning_content": thought(n), "tool_calls": [call]}
    return [said, {"role": "tool", "tool_call_id": f"c{n}", "content": f"{n}\n{LOG}"}]


FORMATS: Final[dict[str, tuple[str, dict[str, Any], Callable[[int], list[Message]]]]] = {
    "anthropic_messages": ("messages", {"model": "claude-sonnet-4-5", "system": SYSTEM}, anthropic),
    "openai_responses": ("input", {"model": "gpt-5", "instructions": SYSTEM}, responses),
    "openai_chat": ("messages", {"model": "deepseek-chat"}, chat),
}
every_format = pytest.mark.parametrize("format", FORMATS)
every_schedule = pytest.mark.parametrize("schedule", ["cache", "eager"])
every_memory = pytest.mark.parametrize("process", ["one", "with a memory", "another"])


class Talk:
    """Two tool loops: the user speaks, four steps, an answer, the user speaks again, five steps."""

    def __init__(self, format: str) -> None:
        self.field, self.around, self.step = FORMATS[format]
        self.loop = [{"role": "user", "content": "Do it."}, *(m for n in range(4) for m in self.step(n))]
        more = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Now the next."}]
        self.whole = [*self.loop, *more, *(m for n in range(4, 9) for m in self.step(n))]

    def body(self, messages: list[Message]) -> bytes:
        return json.dumps({**self.around, self.field: messages}).encode()

    def sent(self, outcome: Outcome) -> list[Message]:
        assert outcome.error is None
        messages = json.loads(outcome.body)[self.field]
        assert isinstance(messages, list)
        return messages


def pruners(process: str, settings: Settings) -> tuple[Pruner, Pruner]:
    """Who sees the whole history, and who sees it undone."""
    shelf = None if process == "one" else Shelf()
    first = Pruner(settings, shelf)
    return first, Pruner(settings, shelf) if process == "another" else first


@every_format
@every_schedule
@every_memory
def test_reasoning_comes_back_where_its_loop_is_open_again(format: str, schedule: str, process: str) -> None:
    talk, settings = Talk(format), Settings(preset="auto", schedule=schedule)
    for end in range(len(talk.step(0)) + 1, len(talk.loop) + 1, len(talk.step(0))):
        first, second = pruners(process, settings)
        cut = talk.sent(first.prune(talk.body(talk.whole), now=0.0))
        assert thought(0).strip() not in json.dumps(cut)
        undone = talk.sent(second.prune(talk.body(talk.loop[:end]), now=10.0))
        for n in range((end - 1) // len(talk.step(0))):
            assert undone.count(talk.step(n)[0]) == 1


@every_format
@every_schedule
@every_memory
def test_a_tool_loop_continues_after_an_undo_into_it(format: str, schedule: str, process: str) -> None:
    """Step by step, up to the end of the loop and into the next; then its reasoning may go again."""
    talk, settings = Talk(format), Settings(preset="auto", schedule=schedule)
    first, second = pruners(process, settings)
    first.prune(talk.body(talk.whole), now=0.0)
    messages = talk.loop[: 2 * len(talk.step(0)) + 1]
    talk.sent(second.prune(talk.body(messages), now=10.0))
    for n in range(20, 23):
        messages = [*messages, *talk.step(n)]
        sent = talk.sent(second.prune(talk.body(messages), now=float(n)))
        assert all(talk.step(seen)[0] in sent for seen in (0, 1, *range(20, n + 1)))
    messages = [*messages, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "Now this."}]
    for n in range(30, 33):
        messages = [*messages, *talk.step(n)]
        sent = talk.sent(second.prune(talk.body(messages), now=10_000.0 + n))
    assert thought(0).strip() not in json.dumps(sent)
    assert all(talk.step(n)[0] in sent for n in range(30, 33))


@every_format
@every_memory
def test_a_request_after_an_undo_gets_the_edits_from_before_it(format: str, process: str) -> None:
    talk, settings = Talk(format), Settings(preset="auto", schedule="eager")
    first, second = pruners(process, settings)
    before = first.prune(talk.body(talk.whole), now=0.0)
    second.prune(talk.body(talk.loop), now=10.0)
    assert second.prune(talk.body(talk.whole), now=20.0).body == before.body


@every_format
@every_memory
def test_other_edits_of_an_undone_loop_stay(format: str, process: str) -> None:
    """What may go in an open loop stays away, so that no cache is lost for it."""
    talk = Talk(format)
    settings = Settings(
        preset="off", schedule="eager", strategies={"finished_results": {"enabled": True, "shell": 1}}
    )
    first, second = pruners(process, settings)
    cut = talk.sent(first.prune(talk.body(talk.whole), now=0.0))
    outcome = second.prune(talk.body(talk.loop[:-1]), now=10.0)
    assert outcome.edits
    undone = talk.sent(outcome)
    assert undone[: 2 * len(talk.step(0)) + 1] == cut[: 2 * len(talk.step(0)) + 1]
