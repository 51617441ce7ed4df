"""Google's Agent Development Kit with Prunus as a plugin of the app."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import PROMPTS, SYSTEM, Played, assert_sound, load_snippet
from tests.integrations.wires import GeminiWire

pytest.importorskip("google.adk", reason="google-adk is not installed: make integrations FRAMEWORKS=google-adk")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.events import Event
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from prunus.integrations.google_adk import PrunusPlugin, _from_json

GEMINI = "gemini-2.5-pro"


def rows_of(contents: list[Any]) -> list[dict[str, Any]]:
    return GeminiWire.rows([one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in contents])


class ScriptedLlm(BaseLlm):
    """A model that plays the scenario."""

    model: str = GEMINI
    played: Any
    last: Any = lambda: None

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        move = self.played.ask(rows_of(llm_request.contents), self.last())
        parts = [
            types.Part(
                function_call=types.FunctionCall(id=move.id(n), name=call.tool, args=dict(call.arguments)),
                thought_signature=b"\xff\x00signed" if n else None,
            )
            for n, call in enumerate(move.calls)
        ]
        parts += [types.Part(text=move.text)] if move.text else []
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def agent_of(played: Played, last: Callable[[], Any] = lambda: None) -> LlmAgent:
    model = ScriptedLlm(played=played, last=last)
    return LlmAgent(name="a", model=model, instruction=SYSTEM, tools=list(played.workspace.tools))


async def turn(runner: InMemoryRunner, session: Any, prompt: str) -> str:
    """Send a message of the user, and return the last words of the model."""
    message = types.Content(role="user", parts=[types.Part(text=prompt)])
    text = ""
    config = RunConfig(max_llm_calls=100)
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message, run_config=config):
        text = "".join(part.text or "" for part in event.content.parts) if event.content else text
    return text


def play(make: Callable[[], Pruner] | None) -> Played:
    played = Played()

    def begin() -> InMemoryRunner:
        here = PrunusPlugin(pruner=make()) if make else None
        agent = agent_of(played, lambda: here.last if here else None)
        return InMemoryRunner(app=App(name="app", root_agent=agent, plugins=[here] if here else []))

    async def stored(runner: InMemoryRunner, session: Any) -> list[Event]:
        kept = await runner.session_service.get_session(app_name="app", user_id="u", session_id=session.id)
        assert kept is not None
        return [Event.model_validate_json(event.model_dump_json()) for event in kept.events]

    async def go() -> None:
        runner = begin()
        session = await runner.session_service.create_session(app_name="app", user_id="u")
        played.answers += [await turn(runner, session, PROMPTS[0]), await turn(runner, session, PROMPTS[1])]
        events = await stored(runner, session)
        played.resumed_at = len(played.requests)
        runner = begin()
        session = await runner.session_service.create_session(app_name="app", user_id="u")
        for event in events:
            await runner.session_service.append_event(session, event)
        played.answers.append(await turn(runner, session, PROMPTS[2]))
        played.stored = rows_of([event.content for event in await stored(runner, session) if event.content])

    asyncio.run(go())
    return played


def test_an_agent_sends_less_and_ends_the_same() -> None:
    assert_sound(play, model=GEMINI)


def test_the_snippet_of_the_page_makes_an_app_that_prunes() -> None:
    played = Played()
    app = load_snippet("google_adk.py").build_app(agent_of(played))

    async def go() -> None:
        runner = InMemoryRunner(app=app)
        session = await runner.session_service.create_session(app_name=app.name, user_id="u")
        await turn(runner, session, PROMPTS[0])

    asyncio.run(go())
    assert played.sent_less_than_stored()


def test_bytes_of_a_changed_content_stay() -> None:
    part = types.Part(function_call=types.FunctionCall(name="f", args={}), thought_signature=b"\xff\x00signed")
    content = types.Content(role="model", parts=[part])
    assert _from_json(content.model_dump(mode="json", by_alias=True, exclude_none=True)) == content
