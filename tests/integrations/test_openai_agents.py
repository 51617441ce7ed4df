"""The OpenAI Agents SDK with Prunus as its input filter."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound, load_snippet
from tests.integrations.wires import ResponsesWire

pytest.importorskip("agents", reason="openai-agents is not installed: make integrations FRAMEWORKS=openai-agents")

from agents import Agent, Model, ModelResponse, RunConfig, Runner, SQLiteSession, Usage, function_tool
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from prunus.integrations.openai_agents import PrunusFilter


class ScriptedModel(Model):
    """A model that plays the scenario."""

    model = MODEL

    def __init__(self, played: Played, last: Callable[[], Any] = lambda: None) -> None:
        self.played, self.last = played, last

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        move = self.played.ask(ResponsesWire.rows(items), self.last())
        output: list[Any] = [
            ResponseFunctionToolCall(
                type="function_call", call_id=move.id(n), name=call.tool, arguments=json.dumps(call.arguments)
            )
            for n, call in enumerate(move.calls)
        ]
        if move.text:
            said = ResponseOutputText(type="output_text", text=move.text, annotations=[])
            output.append(
                ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[said])
            )
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    async def stream_response(self, *args: Any, **more: Any) -> AsyncIterator[Any]:
        answer = await self.get_response(*args, **more)
        whole = Response(
            id="r", created_at=0, model=MODEL, object="response", output=answer.output, parallel_tool_calls=True,
            tool_choice="auto", tools=[],
        )  # fmt: skip
        yield ResponseCompletedEvent(type="response.completed", response=whole, sequence_number=0)


def tools(played: Played) -> list[Any]:
    return [function_tool(one, name_override=one.__name__) for one in played.workspace.tools]


def play(make: Callable[[], Pruner] | None, *, streamed: bool = False) -> Played:
    played = Played()

    async def turn(history: list[Any], prompt: str, filter: PrunusFilter | None) -> list[Any]:
        model = ScriptedModel(played, lambda: filter.last if filter else None)
        agent = Agent(name="a", instructions=SYSTEM, model=model, tools=tools(played))
        options = {
            "run_config": RunConfig(call_model_input_filter=filter, tracing_disabled=True),
            "max_turns": 50,
        }
        given = [*history, {"role": "user", "content": prompt}]
        if streamed:
            done: Any = Runner.run_streamed(agent, given, **options)
            async for _ in done.stream_events():
                pass
        else:
            done = await Runner.run(agent, given, **options)
        played.answers.append(done.final_output)
        return done.to_input_list()

    async def go() -> None:
        filter = PrunusFilter(pruner=make()) if make else None
        history = await turn([], PROMPTS[0], filter)
        history = await turn(history, PROMPTS[1], filter)
        played.resumed_at = len(played.requests)
        stored = json.loads(json.dumps(history))
        played.stored = ResponsesWire.rows(
            await turn(stored, PROMPTS[2], PrunusFilter(pruner=make()) if make else None)
        )

    asyncio.run(go())
    return played


@pytest.mark.parametrize("streamed", [False, True])
def test_an_agent_sends_less_and_ends_the_same(streamed: bool) -> None:
    assert_sound(lambda make: play(make, streamed=streamed), before=None)


def test_the_session_of_an_agent_stays_whole() -> None:
    played, filter = Played(), PrunusFilter(pruner=Pruner())
    session = SQLiteSession("one")
    agent = Agent(name="a", instructions=SYSTEM, model=ScriptedModel(played), tools=tools(played))
    config = RunConfig(call_model_input_filter=filter, tracing_disabled=True)
    for prompt in PROMPTS[:2]:
        Runner.run_sync(agent, prompt, session=session, run_config=config, max_turns=50)
    assert played.sent_less_than_stored()
    kept = ResponsesWire.rows(asyncio.run(session.get_items()))
    assert sum(len(row["content"]) for row in kept if row["role"] == "tool") >= played.workspace.printed


def test_the_snippet_of_the_page_runs_an_agent_that_prunes() -> None:
    played = Played()
    agent = Agent(name="a", instructions=SYSTEM, model=ScriptedModel(played), tools=tools(played))
    asyncio.run(load_snippet("openai_agents.py").answer(agent, PROMPTS[0], max_turns=50))
    assert played.sent_less_than_stored()


@pytest.mark.parametrize(("given", "name"), [("gpt-5", "gpt-5"), ("litellm/openai/gpt-5", "gpt-5"), (None, "")])
def test_the_name_of_the_model_is_passed_on(given: str | None, name: str) -> None:
    from agents.run import CallModelData, ModelInputData

    filter = PrunusFilter()
    items: list[Any] = [{"role": "user", "content": "Hi."}]
    data = CallModelData(ModelInputData(items, "Help."), Agent(name="a", model=given), None)
    sent = asyncio.run(filter(data))
    assert sent.input == items and sent.instructions == "Help."
    assert filter.last is not None and filter.last.error is None and filter.last.report.model == name
