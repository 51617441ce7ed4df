"""Strands Agents with Prunus as a plugin."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound, load_snippet
from tests.integrations.wires import chat_calls

pytest.importorskip("strands", reason="strands-agents is not installed: make integrations FRAMEWORKS=strands")

from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.models.model import Model

from prunus.integrations.strands import PrunusAgentPlugin, put_back, to_rows


def rows_of(messages: list[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for message in messages:
        blocks = message["content"]
        for result in (block["toolResult"] for block in blocks if "toolResult" in block):
            text = result["content"][0]["text"]
            found.append({"role": "tool", "tool_call_id": result["toolUseId"], "content": text})
        used = [block["toolUse"] for block in blocks if "toolUse" in block]
        calls = chat_calls([(one["toolUseId"], one["name"], one["input"]) for one in used])
        text = "".join(block.get("text", "") for block in blocks)
        if text or calls:
            row = {"role": message["role"], "content": text}
            found.append({**row, "tool_calls": calls} if calls else row)
    return found


class ScriptedModel(Model):
    """A model that plays the scenario."""

    def __init__(self, played: Played, last: Callable[[], Any] = lambda: None) -> None:
        self.played, self.last = played, last

    def get_config(self) -> dict[str, Any]:
        return {"model_id": MODEL}

    def update_config(self, **_: Any) -> None:
        pass

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        move = self.played.ask(rows_of(messages), self.last())
        yield {"messageStart": {"role": "assistant"}}
        for n, call in enumerate(move.calls):
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": move.id(n), "name": call.tool}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(call.arguments)}}}}
            yield {"contentBlockStop": {}}
        if move.text:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": move.text}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if move.calls else "end_turn"}}


def tools(played: Played) -> list[Any]:
    return [tool(one) for one in played.workspace.tools]


def play(make: Callable[[], Pruner] | None, *, asynchronous: bool = False) -> Played:
    played = Played()

    def begin(messages: list[Any]) -> Agent:
        here = PrunusAgentPlugin(pruner=make()) if make else None
        return Agent(
            model=ScriptedModel(played, lambda: here.last if here else None),
            tools=tools(played),
            system_prompt=SYSTEM,
            messages=messages,
            plugins=[here] if here else [],
            conversation_manager=NullConversationManager(),
            callback_handler=None,
        )

    def turn(agent: Agent, prompt: str) -> None:
        done = asyncio.run(agent.invoke_async(prompt)) if asynchronous else agent(prompt)
        played.answers.append(str(done).strip())

    agent = begin([])
    turn(agent, PROMPTS[0])
    turn(agent, PROMPTS[1])
    played.resumed_at = len(played.requests)
    agent = begin(json.loads(json.dumps(agent.messages)))
    turn(agent, PROMPTS[2])
    played.stored = rows_of(agent.messages)
    return played


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_agent_sends_less_and_ends_the_same(asynchronous: bool) -> None:
    assert_sound(lambda make: play(make, asynchronous=asynchronous))


def test_the_snippet_of_the_page_makes_an_agent_that_prunes() -> None:
    played = Played()
    agent = load_snippet("strands.py").build_agent(ScriptedModel(played), tools(played), callback_handler=None)
    agent(PROMPTS[0])
    assert played.sent_less_than_stored()


def test_blocks_that_are_no_text_stay_and_are_counted() -> None:
    image = {"image": {"format": "png", "source": {"bytes": b"..."}}}
    asked = {"role": "user", "content": [{"text": "Look."}, image]}
    shown = {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [{"text": "a"}, image]}}]}
    assert [(row.part, row.unmapped) for row in (*to_rows(asked), *to_rows(shown))] == [(0, 1), (None, 1)]
    assert put_back(asked, {0: "Short."}) == {"role": "user", "content": [{"text": "Short."}, image]}
    assert asked["content"][0] == {"text": "Look."}
