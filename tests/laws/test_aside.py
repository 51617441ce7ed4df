"""A side request, such as one for a summary, extends the sent prefix, and nothing new is cut in it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Outcome, Pruner, Settings
from prunus.providers import frame
from tests.conversations.test_memory import Shelf
from tests.generate.build import sessions
from tests.generate.encode import SPELLINGS, encode, prefixes
from tests.generate.render import render
from tests.generate.session import Session
from tests.laws.cases import every_format, fewer
from tests.laws.conversing import SCHEDULES
from tests.validity import FIELDS, messages_of, new_problems

ASKED: Final = "Please write a summary of all this. Do not call any tools."
CASES: Final = {
    **SCHEDULES,
    **{
        f"{preset}, ids": Settings(preset=preset, schedule="eager", agent={"offer": "mcp"})
        for preset in ("auto", "acp")
    },
}
every_case = pytest.mark.parametrize("name", list(CASES))


def raws(outcome: Outcome[bytes], format: str) -> list[bytes]:
    cut = frame(outcome.body, format)
    return [cut.raw(index) for index in range(len(cut))]


def part_of(format: str) -> tuple[str, dict[str, Any]]:
    """Where the parts of a message stand, and the instruction as one."""
    match format:
        case "gemini":
            return "parts", {"text": ASKED}
        case "opencode":
            return "parts", {"type": "text", "text": ASKED}
        case "openai_responses":
            return "content", {"type": "input_text", "text": ASKED}
    return "content", {"type": "text", "text": ASKED}


def with_message(body: Any, format: str) -> Any:
    """The instruction as a message of its own."""
    key, part = part_of(format)
    message = {"info": {"role": "user"}} if format == "opencode" else {"role": "user"}
    messages = [*messages_of(body, format), {**message, key: [part]}]
    return messages if isinstance(body, list) else {**body, FIELDS[format]: messages}


def with_part(body: Any, format: str) -> Any | None:
    """The instruction as a further part of the newest message, if that is the user's."""
    key, part = part_of(format)
    body = deepcopy(body)
    message = (body if isinstance(body, list) else body[FIELDS[format]])[-1]
    if (message["info"] if format == "opencode" else message).get("role") != "user":
        return None
    if isinstance(message[key], str):
        message[key] = [{**part, "text": message[key]}]
    message[key].append(part)
    return body


def asides(
    name: str, format: str, session: Session, spelling: str, end: int, asked: Callable[[Any, str], Any | None]
) -> list[tuple[Outcome[bytes], Outcome[bytes], bytes]]:
    """A session up to some request, then an instruction: to that process, and to one that has the memory only."""
    memory = Shelf()
    pruner = Pruner(CASES[name], memory)
    requests = prefixes(render(session, format), format)
    requests = requests[: 1 + end % len(requests)]
    body = asked(requests[-1], format)
    if body is None:
        return []
    for n, request in enumerate(requests):
        sent = pruner.prune(encode(request, spelling), 10.0 * n, format=format)
    raw, now = encode(body, spelling), 10.0 * len(requests)
    kept = dict(memory.memos)
    held = [one.prune(raw, now, format=format, hold=True) for one in (pruner, Pruner(CASES[name], memory))]
    assert memory.memos == kept
    assert [one.error for one in (sent, *held)] == [None] * 3
    return [(sent, one, raw) for one in held]


@every_format
@every_case
@fewer
@given(session=sessions(), spelling=SPELLINGS, end=st.integers(0, 40))
def test_an_instruction_in_a_message_of_its_own_extends_what_was_sent(
    format: str, name: str, session: Session, spelling: str, end: int
) -> None:
    for sent, held, raw in asides(name, format, session, spelling, end, with_message):
        before, after = raws(sent, format), raws(held, format)
        assert after[:-1] == before
        assert after[-1] == frame(raw, format).raw(len(frame(raw, format)) - 1)
        assert [edit.target for edit in held.edits] == [edit.target for edit in sent.edits]
        assert new_problems(raw, held.body, format) == []


@every_format
@every_case
@fewer
@given(session=sessions(), spelling=SPELLINGS, end=st.integers(0, 40))
def test_an_instruction_behind_the_newest_message_extends_what_was_sent(
    format: str, name: str, session: Session, spelling: str, end: int
) -> None:
    key, part = part_of(format)
    for sent, held, raw in asides(name, format, session, spelling, end, with_part):
        assert raws(held, format)[:-1] == raws(sent, format)[:-1]
        old, new = (messages_of(one.body, format)[-1][key] for one in (sent, held))
        assert new == [*([{**part, "text": old}] if isinstance(old, str) else old), part]
        assert [edit.target for edit in held.edits] == [edit.target for edit in sent.edits]
        assert new_problems(raw, held.body, format) == []
