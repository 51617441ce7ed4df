"""Spellings: one body gives the same edits as bytes in any spelling and as objects, whatever was seen before."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Outcome, Pruner, Settings
from prunus.schedule.cache import Cache
from tests.generate.build import sessions
from tests.generate.encode import encode, prefixes
from tests.generate.render import FORMATS, render
from tests.laws.cases import PRESETS, every_case, fewer
from tests.strategies.fillers import filler

HELLO: Final = {"role": "user", "content": "Make it green."}
TOOLS: Final = {
    "anthropic_messages": [{"name": "Bash", "input_schema": {"type": "object"}}],
    "openai_chat": [{"type": "function", "function": {"name": "Bash"}}],
}


def spelt(body: Any) -> list[Any]:
    return [body, *(encode(body, spelling) for spelling in ("compact", "spaced", "pretty", "escaped"))]


def told(outcome: Outcome) -> tuple[Any, ...]:
    assert outcome.error is None
    report = outcome.report
    return report.format, outcome.edits, report.tokens_before, report.tokens_after, outcome.flush


@every_case
@given(session=sessions())
def test_every_spelling_of_a_request_gives_the_same_edits(format: str, preset: str, session: Any) -> None:
    every = [spelt(request) for request in prefixes(render(session, format), format)]
    pruners = [Pruner(PRESETS[preset], schedule=Cache()) for _ in every[0]]
    for number, bodies in enumerate(every):
        found = [told(pruner.prune(body, 9.0 * number)) for pruner, body in zip(pruners, bodies, strict=True)]
        assert found == found[:1] * len(bodies)


@fewer
@given(first=sessions(), second=sessions(), data=st.data())
def test_earlier_bodies_do_not_decide_the_format(first: Any, second: Any, data: Any) -> None:
    """Requests in two formats begin with the same message, which belongs to both of them."""
    pruner = Pruner(PRESETS["auto"])
    names = data.draw(st.permutations(["anthropic_messages", "openai_chat"]))
    for format, session in zip(names, (first, second), strict=True):
        for request in prefixes(render(session, format), format):
            body = {**request, "messages": [HELLO, *request["messages"]], "tools": TOOLS[format]}
            fresh = told(Pruner(PRESETS["auto"]).prune(body, 0.0))
            assert fresh[0] == format
            given = data.draw(st.sampled_from(spelt(body)))
            assert told(pruner.prune(given, 0.0))[:4] == fresh[:4]


def test_a_first_message_that_another_format_knows_does_not_hide_a_conversation() -> None:
    chat: dict[str, Any] = {"messages": [HELLO], "model": "gpt-5", "tools": TOOLS["openai_chat"]}
    log = filler(60, "lines")
    messages: list[dict[str, Any]] = [HELLO]
    for n in range(4):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": "make"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": log}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    talk = {"messages": messages, "model": "claude-sonnet-4-5", "tools": TOOLS["anthropic_messages"]}
    for body in (talk, encode(talk)):
        pruner = Pruner(Settings(schedule="eager"))
        assert pruner.prune(chat if isinstance(body, dict) else encode(chat)).report.format == "openai_chat"
        outcome = pruner.prune(body)
        assert (outcome.error, outcome.report.format) == (None, "anthropic_messages")
        assert outcome.report.saved > 0


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "opencode"])
def test_white_space_around_the_messages_is_not_counted(format: str) -> None:
    field = {"openai_responses": "input", "gemini": "contents"}.get(format, "messages")
    body = {"system": "Be brief. " * 50, "tools": [{"name": "é" * 9, "input_schema": {"a": [1, 2.0]}}], field: []}
    counts = {Pruner().prune(given, format=format).report.tokens_before for given in spelt(body)}
    assert len(counts) == 1


@pytest.mark.parametrize("held", [None, "", "resp_1"])
def test_a_history_that_the_provider_holds_is_recognised_in_bytes_and_objects(held: str | None) -> None:
    body = {"model": "gpt-5", "input": [{"role": "user", "content": "Hi"}], "previous_response_id": held}
    more = {**body, "input": [*body["input"], {"role": "assistant", "content": "Yes?"}]}
    found = set()
    for kind in (lambda value: value, json.dumps):
        pruner = Pruner()
        found.add(tuple(bool(pruner.prune(kind(given)).conversation) for given in (body, more)))
    assert found == {(held is None, held is None)}
