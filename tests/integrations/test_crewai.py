"""CrewAI with Prunus: hooks that prune what is sent and put the whole messages back."""

from __future__ import annotations

import asyncio
import functools
import json
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, PROMPTS, Played, assert_sound, load_snippet
from tests.integrations.wires import chat_calls

if find_spec("crewai") is None:
    pytest.skip("crewai is not installed: make integrations FRAMEWORKS=crewai", allow_module_level=True)
# The package reads these when it is imported. Where it is not, they would change other tests.
os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["OTEL_SDK_DISABLED"] = "true"
os.environ["CREWAI_TRACING_ENABLED"] = "false"

from crewai import Agent, Crew, Task
from crewai.hooks import clear_all_global_hooks
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool

from prunus.integrations.crewai import PrunusHooks, SentMessage, put_back, restore, to_rows


@pytest.fixture(autouse=True)
def _no_hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No hooks of other tests, and folders of our own, since crewai writes a database for each crew."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    clear_all_global_hooks()
    yield
    clear_all_global_hooks()


def rows_of(messages: list[Any]) -> list[dict[str, Any]]:
    kept = ("role", "content", "tool_calls", "tool_call_id")
    return [{key: message[key] for key in kept if key in message} for message in messages]


class ScriptedLLM(BaseLLM):
    """A model that plays the scenario."""

    def __init__(self, played: Played, last: Callable[[], Any] = lambda: None) -> None:
        super().__init__(model=MODEL)
        object.__setattr__(self, "_ask", lambda messages: played.ask(rows_of(messages), last()))

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        move = self._ask(messages)
        return (
            chat_calls([(move.id(n), call.tool, call.arguments) for n, call in enumerate(move.calls)]) or move.text
        )

    async def acall(self, messages: Any, *_: Any, **__: Any) -> Any:
        return self.call(messages)

    def get_context_window_size(self) -> int:
        return 1_000_000


def tools_of(played: Played) -> list[Any]:
    return [tool(one.__name__)(one) for one in played.workspace.tools]


def play(make: Callable[[], Pruner] | None, *, asynchronous: bool) -> Played:
    played = Played()

    def begin() -> Agent:
        clear_all_global_hooks()
        hooks = PrunusHooks(pruner=make()).register() if make else None
        llm = ScriptedLLM(played, lambda: hooks.last if hooks else None)
        return Agent(role="r", goal="g", backstory="b", llm=llm, tools=tools_of(played), max_iter=60)

    def turn(agent: Agent, history: list[Any], prompt: str) -> list[Any]:
        given = [*history, {"role": "user", "content": prompt}]
        if asynchronous:
            result = asyncio.run(agent.kickoff_async(given))
        else:
            result = agent.kickoff(given)
        played.answers.append(result.raw)
        assert not any(isinstance(message, SentMessage) for message in result.messages)
        return [message for message in result.messages if message["role"] != "system"]

    agent = begin()
    history = turn(agent, turn(agent, [], PROMPTS[0]), PROMPTS[1])
    played.resumed_at = len(played.requests)
    played.stored = rows_of(turn(begin(), json.loads(json.dumps(history)), PROMPTS[2]))
    return played


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_agent_sends_less_and_ends_the_same(asynchronous: bool) -> None:
    assert_sound(lambda make: play(make, asynchronous=asynchronous), before=1)


def test_a_crew_sends_less_and_its_agent_has_the_whole_history_while_a_tool_runs() -> None:
    played = Played()
    kept: list[bool] = []
    snippet = load_snippet("crewai.py")
    agent = snippet.build_agent(ScriptedLLM(played), [])

    def watched(one: Callable[..., str]) -> Callable[..., str]:
        @functools.wraps(one)
        def run(*args: Any, **more: Any) -> str:
            kept.append(not any(isinstance(m, SentMessage) for m in agent.agent_executor.messages))
            return one(*args, **more)

        return run

    agent.tools = [tool(one.__name__)(watched(one)) for one in played.workspace.tools]
    task = Task(description=PROMPTS[0], expected_output="a repaired program", agent=agent)
    assert Crew(agents=[agent], tasks=[task]).kickoff().raw == played.script[10]
    assert played.sent_less_than_stored()
    assert len(kept) > 10 and all(kept)
    last = snippet.hooks.last
    assert last is not None and last.error is None and last.report.model == MODEL and last.edits


def test_hooks_that_are_taken_back_are_not_called() -> None:
    hooks = PrunusHooks().register()
    hooks.unregister()
    played = Played()
    Agent(role="r", goal="g", backstory="b", llm=ScriptedLLM(played), tools=tools_of(played)).kickoff(PROMPTS[0])
    assert hooks.last is None
    assert not played.sent_less_than_stored()


def test_a_changed_message_is_a_copy_that_remembers_the_whole_one() -> None:
    [made] = chat_calls([("c", "bash", {"command": "ls"})])
    given = {"role": "assistant", "content": "one", "tool_calls": [made], "name": "x"}
    sent = put_back(given, {"content": "short", 0: {"command": "..."}})
    assert (sent["content"], sent["name"]) == ("short", "x")
    assert sent["tool_calls"][0]["function"]["arguments"] == '{"command": "..."}'
    assert given["content"] == "one" and given["tool_calls"][0] is made
    messages: list[Any] = [sent, {"role": "user", "content": "two"}]
    restore(messages)
    assert messages[0] is given


def test_content_that_is_no_text_and_calls_in_another_form_stay_and_are_counted() -> None:
    blocks = [{"type": "text", "text": "here"}, {"type": "image_url", "image_url": {"url": "x"}}]
    [row] = to_rows({"role": "tool", "tool_call_id": "c", "content": blocks})
    assert (row.part, row.unmapped, row.chat["content"]) == (None, 1, "here\n")
    made = chat_calls([("c", "bash", {"command": "ls"})])
    [row] = to_rows({"role": "assistant", "content": None, "tool_calls": made, "raw_tool_call_parts": [object()]})
    assert row.calls == (None,)
