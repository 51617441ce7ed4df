"""Microsoft Agent Framework with Prunus as a chat middleware."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound, load_snippet

pytest.importorskip(
    "agent_framework", reason="agent-framework is not installed: make integrations FRAMEWORKS=agent-framework"
)

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
)
from agent_framework import Message as FrameworkMessage

from prunus.integrations.agent_framework import PrunusChatMiddleware, put_back, to_rows


def rows_of(messages: list[FrameworkMessage]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for message in messages:
        results = [one for one in message.contents if one.type == "function_result"]
        found += [{"role": "tool", "tool_call_id": one.call_id, "content": one.items[0].text} for one in results]
        if results:
            continue
        calls = [
            {"id": one.call_id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
            for one in message.contents
            if one.type == "function_call"
        ]
        row = {"role": str(message.role), "content": message.text}
        found.append({**row, "tool_calls": calls} if calls else row)
    return found


class ScriptedClient(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A client that plays the scenario."""

    model = MODEL

    def __init__(self, played: Played, last: Callable[[], Any] = lambda: None) -> None:
        super().__init__(function_invocation_configuration={"max_iterations": 99})
        self.played, self.last = played, last

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        async def answer() -> ChatResponse:
            move = self.played.ask(rows_of(list(messages)), self.last())
            contents = [
                Content.from_function_call(move.id(n), call.tool, arguments=json.dumps(call.arguments))
                for n, call in enumerate(move.calls)
            ]
            said = [Content.from_text(move.text)] if move.text else []
            return ChatResponse(messages=[FrameworkMessage("assistant", [*contents, *said])], model=MODEL)

        return answer()


def play(make: Callable[[], Pruner] | None) -> Played:
    played = Played()

    def begin() -> Any:
        here = PrunusChatMiddleware(pruner=make()) if make else None
        client = ScriptedClient(played, lambda: here.last if here else None)
        return Agent(
            client=client,
            instructions=SYSTEM,
            tools=list(played.workspace.tools),
            middleware=[here] if here else [],
        )

    async def turn(agent: Any, history: list[FrameworkMessage], prompt: str) -> list[FrameworkMessage]:
        given = [*history, FrameworkMessage("user", [prompt])]
        done = await agent.run(given)
        played.answers.append(done.messages[-1].text)
        return [*given, *done.messages]

    async def go() -> None:
        agent = begin()
        history = await turn(agent, [], PROMPTS[0])
        history = await turn(agent, history, PROMPTS[1])
        played.resumed_at = len(played.requests)
        stored = [FrameworkMessage.from_json(message.to_json()) for message in history]
        played.stored = rows_of(await turn(begin(), stored, PROMPTS[2]))

    asyncio.run(go())
    return played


def test_an_agent_sends_less_and_ends_the_same() -> None:
    assert_sound(play)


def test_the_snippet_of_the_page_makes_an_agent_that_prunes() -> None:
    played = Played()
    made = load_snippet("agent_framework.py").build_agent(ScriptedClient(played), list(played.workspace.tools))
    asyncio.run(made.run(PROMPTS[0]))
    assert played.sent_less_than_stored()


def test_contents_that_are_no_text_stay_and_are_counted() -> None:
    thought = Content.from_text_reasoning(text="Hm.")
    call = Content.from_function_call("c", "bash", arguments={"command": "ls"})
    message = FrameworkMessage("assistant", [thought, "one", call])
    [row] = to_rows(message)
    assert (row.part, row.calls, row.unmapped) == (1, (2,), 1)
    new = put_back(message, {1: "short", 2: {"command": "..."}})
    assert new.contents[0] is thought and new.text == "short" and new.contents[2].arguments == {"command": "..."}
    assert message.text == "one" and call.arguments == {"command": "ls"}
