"""langchain and langgraph with Prunus in each of the three places that they offer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from prunus import Outcome, Pruner, Settings
from prunus.errors import SettingsError
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound, load_snippet

pytest.importorskip("langchain", reason="langchain is not installed: make integrations FRAMEWORKS=langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import ContextEditingMiddleware, SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_from_dict, messages_to_dict
from langchain_core.messages.utils import convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import create_react_agent

from prunus.integrations.integration import shared_pruner
from prunus.integrations.langchain import PrunusContextEdit, PrunusMiddleware
from prunus.integrations.langchain_messages import put_back, to_rows
from prunus.integrations.langgraph import PreModelHook


class ScriptedModel(BaseChatModel):
    """A chat model that plays the scenario."""

    model_name: str = MODEL
    played: Any
    last: Any
    """Gives the newest outcome of the integration."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> ScriptedModel:
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        move = self.played.ask(convert_to_openai_messages(messages), self.last())
        calls = [{"id": move.id(n), "name": call.tool, "args": call.arguments} for n, call in enumerate(move.calls)]
        answer = AIMessage(content=move.text, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=answer)])


class Middleware:
    """`create_agent` with the middleware."""

    def __init__(self, pruner: Pruner | None) -> None:
        self.hook: Any = PrunusMiddleware(pruner=pruner) if pruner else None

    def agent(self, model: Any, tools: Any, saver: Any) -> Any:
        wrapped = [self.hook] if self.hook else []
        return create_agent(model, tools, system_prompt=SYSTEM, middleware=wrapped, checkpointer=saver)

    def last(self) -> Outcome[Any] | None:
        return self.hook.last if self.hook else None


class InnerMiddleware(Middleware):
    """The same behind langchain's own middleware that summarises, which stays idle here."""

    def agent(self, model: Any, tools: Any, saver: Any) -> Any:
        summary = SummarizationMiddleware(model=model, trigger=("tokens", 10_000_000))
        wrapped = [summary, self.hook] if self.hook else [summary]
        return create_agent(model, tools, system_prompt=SYSTEM, middleware=wrapped, checkpointer=saver)


class Editing(Middleware):
    """`create_agent` with langchain's own middleware and our edit."""

    def __init__(self, pruner: Pruner | None) -> None:
        self.hook = PrunusContextEdit(model=MODEL, pruner=pruner) if pruner else None

    def agent(self, model: Any, tools: Any, saver: Any) -> Any:
        wrapped = [ContextEditingMiddleware(edits=[self.hook])] if self.hook else []
        return create_agent(model, tools, system_prompt=SYSTEM, middleware=wrapped, checkpointer=saver)


class Hook(Middleware):
    """`create_react_agent` with the hook before the model."""

    def __init__(self, pruner: Pruner | None) -> None:
        self.hook = PreModelHook(model=MODEL, pruner=pruner) if pruner else None

    def agent(self, model: Any, tools: Any, saver: Any) -> Any:
        return create_react_agent(model, tools, prompt=SYSTEM, pre_model_hook=self.hook, checkpointer=saver)


def play(place: type[Middleware], make: Callable[[], Pruner] | None, *, asynchronous: bool) -> Played:
    played = Played()
    tools = [tool(function, parse_docstring=False) for function in played.workspace.tools]
    config = {"configurable": {"thread_id": "one"}, "recursion_limit": 200}

    def begin() -> Any:
        here = place(make() if make else None)
        return here.agent(ScriptedModel(played=played, last=here.last), tools, InMemorySaver())

    def ask(agent: Any, messages: list[Any]) -> list[Any]:
        given = {"messages": messages}
        done = asyncio.run(agent.ainvoke(given, config)) if asynchronous else agent.invoke(given, config)
        played.answers.append(done["messages"][-1].content)
        return done["messages"]

    agent = begin()
    ask(agent, [HumanMessage(PROMPTS[0])])
    stored = messages_to_dict(ask(agent, [HumanMessage(PROMPTS[1])]))
    played.resumed_at = len(played.requests)
    history = ask(begin(), [*messages_from_dict(stored), HumanMessage(PROMPTS[2])])
    played.stored = convert_to_openai_messages(history)
    return played


@pytest.mark.parametrize(
    ("place", "asynchronous"),
    [
        (Middleware, False),
        (Middleware, True),
        (InnerMiddleware, False),
        (Editing, False),
        (Hook, False),
        (Hook, True),
    ],
)
def test_an_agent_sends_less_and_ends_the_same(place: type[Middleware], asynchronous: bool) -> None:
    assert_sound(lambda make: play(place, make, asynchronous=asynchronous))


def test_an_agent_without_arguments_shares_the_pruner_of_the_process() -> None:
    assert PrunusMiddleware().pruner is PreModelHook().pruner is shared_pruner()
    assert PrunusMiddleware(settings=Settings(preset="off")).pruner is not shared_pruner()
    with pytest.raises(SettingsError, match="exclude each other"):
        PrunusMiddleware(pruner=Pruner(), settings=Settings())


def test_a_request_of_another_shape_passes_as_it_is() -> None:
    middleware = PrunusMiddleware()
    assert middleware.wrap_model_call("request", lambda given: given) == "request"
    assert middleware.last is not None and str(middleware.last.error).startswith("AttributeError")


def test_the_snippet_of_the_page_builds_an_agent_that_prunes() -> None:
    played = Played()
    model = ScriptedModel(played=played, last=lambda: None)
    agent = load_snippet("langchain.py").build_agent(model, [tool(one) for one in played.workspace.tools])
    agent.invoke({"messages": [HumanMessage(PROMPTS[0])]}, {"recursion_limit": 100})
    assert played.sent_less_than_stored()


BLOCKS = [
    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
    {"type": "text", "text": "one"},
    {"type": "tool_use", "id": "c", "name": "bash", "input": {"command": "ls"}},
    {"type": "text", "text": "two"},
]


def test_blocks_that_are_no_text_stay_and_are_counted() -> None:
    call = {"id": "c", "name": "bash", "args": {"command": "ls"}}
    message = AIMessage(content=BLOCKS, tool_calls=[call], id="m")
    [row] = to_rows(message)
    assert row.chat["content"] == "one\ntwo" and row.unmapped == 1
    new = put_back(message, {"text": "short", "c": {"command": "..."}})
    assert new.content == [BLOCKS[0], {"type": "text", "text": "short"}, {**BLOCKS[2], "input": {"command": "..."}}]
    assert new.tool_calls[0]["args"] == {"command": "..."} and new.id == "m"
    assert message.content == BLOCKS and message.tool_calls[0]["args"] == {"command": "ls"}


def test_an_image_beside_the_text_of_a_result_stays() -> None:
    image = {"type": "image", "base64": "AAAA", "mime_type": "image/png"}
    message = ToolMessage(content=["words", image], tool_call_id="c")
    [row] = to_rows(message)
    assert row.chat["content"] == "words" and row.unmapped == 1
    assert put_back(message, {"text": "gone"}).content == ["gone", image]
