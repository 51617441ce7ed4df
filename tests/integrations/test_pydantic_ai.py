"""pydantic-ai with Prunus as a capability."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound, load_snippet

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed: make integrations FRAMEWORKS=pydantic-ai")

from pydantic_ai import Agent, ModelMessagesTypeAdapter
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from prunus.integrations.pydantic_ai import Prunus, put_back, to_rows


def rows_of(messages: list[ModelMessage]) -> list[dict[str, Any]]:
    """The messages as a provider of Chat Completions would get them."""
    found: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            calls = [
                {
                    "id": part.tool_call_id,
                    "type": "function",
                    "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
                }
                for part in message.parts
                if isinstance(part, ToolCallPart)
            ]
            found.append({"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})})
            continue
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                found.append(
                    {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
                )
            elif isinstance(part, UserPromptPart):
                found.append({"role": "user", "content": part.content})
    return found


def scripted(played: Played, last: Callable[[], Any] = lambda: None) -> FunctionModel:
    """A model that plays the scenario; the arguments of every other call come as JSON."""

    def answer(messages: list[ModelMessage], _: Any) -> ModelResponse:
        move = played.ask(rows_of(messages), last())
        parts: list[Any] = [
            ToolCallPart(call.tool, json.dumps(call.arguments) if n % 2 else call.arguments, move.id(n))
            for n, call in enumerate(move.calls)
        ]
        return ModelResponse([*parts, TextPart(move.text)] if move.text else parts)

    async def stream(messages: list[ModelMessage], _: Any) -> AsyncIterator[Any]:
        move = played.ask(rows_of(messages), last())
        for n, call in enumerate(move.calls):
            yield {n: DeltaToolCall(call.tool, json.dumps(call.arguments), tool_call_id=move.id(n))}
        if move.text:
            yield move.text

    return FunctionModel(answer, stream_function=stream, model_name=MODEL)


def play(make: Callable[[], Pruner] | None, *, streamed: bool) -> Played:
    played = Played()

    def begin() -> Agent[None, str]:
        here = Prunus(pruner=make()) if make else None
        model = scripted(played, lambda: here.last if here else None)
        return Agent(
            model, instructions=SYSTEM, tools=list(played.workspace.tools), capabilities=[here] if here else []
        )

    async def turn(agent: Agent[None, str], history: list[ModelMessage], prompt: str) -> list[ModelMessage]:
        if streamed:
            async with agent.run_stream(prompt, message_history=history) as stream:
                played.answers.append(await stream.get_output())
            return stream.all_messages()
        done = await agent.run(prompt, message_history=history)
        played.answers.append(done.output)
        return done.all_messages()

    async def go() -> None:
        agent = begin()
        history = await turn(agent, [], PROMPTS[0])
        history = await turn(agent, history, PROMPTS[1])
        played.resumed_at = len(played.requests)
        stored = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(history))
        played.stored = rows_of(await turn(begin(), stored, PROMPTS[2]))

    asyncio.run(go())
    return played


@pytest.mark.parametrize("streamed", [False, True])
def test_an_agent_sends_less_and_ends_the_same(streamed: bool) -> None:
    assert_sound(lambda make: play(make, streamed=streamed))


def test_the_snippet_of_the_page_makes_an_agent_that_prunes() -> None:
    played = Played()
    agent = load_snippet("pydantic_ai.py").build_agent(scripted(played), tools=list(played.workspace.tools))
    agent.run_sync(PROMPTS[0])
    assert played.sent_less_than_stored()


def test_parts_that_are_no_text_stay_and_are_counted() -> None:
    image = BinaryContent(b"...", media_type="image/png")
    asked = ModelRequest([UserPromptPart(["Look.", image]), ToolReturnPart("shoot", ["here", image], "c")])
    thought = ModelResponse([ThinkingPart("Hm."), TextPart("one"), ToolCallPart("bash", {"command": "ls"}, "c")])
    assert [(row.chat["role"], row.part, row.unmapped) for row in to_rows(asked)] == [
        ("user", None, 1),
        ("tool", None, 1),
    ]
    [row] = to_rows(thought)
    assert (row.part, row.calls, row.unmapped) == (1, (2,), 1)
    new = put_back(thought, {1: "short", 2: {"command": "..."}})
    assert new.parts == [ThinkingPart("Hm."), TextPart("short"), ToolCallPart("bash", {"command": "..."}, "c")]
    assert thought.parts[1] == TextPart("one")
