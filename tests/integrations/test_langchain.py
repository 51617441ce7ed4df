"""langchain and langgraph with Prunus in each of the three places that they offer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from prunus import Outcome, Pruner, Settings
from prunus.errors import SettingsError
from tests.integrations.scenario import (
    MODEL,
    ONE_TURN,
    PROMPTS,
    SYSTEM,
    Move,
    Played,
    assert_sound,
    load_snippet,
)
from tests.validity import problems

pytest.importorskip("langchain", reason="langchain is not installed: make integrations FRAMEWORKS=langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import ContextEditingMiddleware, SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_from_dict, messages_to_dict
from langchain_core.messages.utils import convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import create_react_agent

from prunus.integrations.integration import shared_pruner
from prunus.integrations.langchain import PrunusContextEdit, PrunusMiddleware
from prunus.integrations.langgraph import PreModelHook, put_back, to_rows


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
        (InnerMiddleware, True),
        (Editing, False),
        (Editing, True),
        (Hook, False),
        (Hook, True),
    ],
)
def test_an_agent_sends_less_and_ends_the_same(place: type[Middleware], asynchronous: bool) -> None:
    assert_sound(lambda make: play(place, make, asynchronous=asynchronous))


class Counted(Played):
    """A run whose next move follows from the number of requests, since a summary takes moves out of the history."""

    def ask(self, request: Any, outcome: Outcome[Any] | None) -> Move:
        super().ask(request, outcome)
        number = len(self.requests) - 1
        todo = self.script[number]
        return Move(number, text=todo) if isinstance(todo, str) else Move(number, todo)


def play_with_summaries(middleware: PrunusMiddleware | None) -> Counted:
    """One long turn, in which langchain replaces the older messages by a summary again and again."""
    played = Counted(script=ONE_TURN)
    model = ScriptedModel(played=played, last=lambda: middleware.last if middleware else None)
    said = FakeListChatModel(responses=["Some columns were lost."])
    summary = SummarizationMiddleware(model=said, trigger=("messages", 16), keep=("messages", 7))
    wrapped = [summary, middleware] if middleware else [summary]
    agent = create_agent(model, [tool(one) for one in played.workspace.tools], middleware=wrapped)
    done = agent.invoke({"messages": [HumanMessage(PROMPTS[0])]}, {"recursion_limit": 200})
    played.stored = convert_to_openai_messages(done["messages"])
    return played


def test_an_agent_that_summarises_its_history_sends_less_and_ends_the_same() -> None:
    plain, pruned = play_with_summaries(None), play_with_summaries(PrunusMiddleware(pruner=Pruner()))
    assert any("Some columns were lost." in str(row["content"]) for row in plain.requests[-1])
    assert len(plain.requests) == len(pruned.requests) == len(ONE_TURN)
    assert pruned.stored == plain.stored and pruned.workspace.files == plain.workspace.files
    assert [one.error if one else "no outcome" for one in pruned.outcomes] == [None] * len(ONE_TURN)
    for before, after in zip(plain.requests, pruned.requests, strict=True):
        assert [row["role"] for row in after] == [row["role"] for row in before]
        assert problems(after, "openai_chat") == []
    assert len(str(pruned.requests)) < 0.8 * len(str(plain.requests))


def test_an_agent_with_the_prompt_caching_of_anthropic_sends_less_and_keeps_its_marks() -> None:
    anthropic = pytest.importorskip("langchain_anthropic", reason="langchain-anthropic is not installed")
    from langchain_anthropic.middleware import AnthropicPromptCachingMiddleware

    marks: list[Any] = []

    class ScriptedClaude(anthropic.ChatAnthropic):
        played: Any
        last: Any

        def bind_tools(self, tools: Any, **settings: Any) -> Any:
            marks.append((settings["cache_control"]["type"], tools[-1].extras["cache_control"]["type"]))
            return self

        def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
            marks.append(messages[0].content[-1]["cache_control"]["type"])
            return ScriptedModel._generate(self, messages)

    class Caching(Middleware):
        def agent(self, model: Any, tools: Any, saver: Any) -> Any:
            claude = ScriptedClaude(model="claude-sonnet-4-5", api_key="k", played=model.played, last=model.last)
            caching = AnthropicPromptCachingMiddleware(unsupported_model_behavior="raise")
            wrapped = [caching, self.hook] if self.hook else [caching]
            return create_agent(claude, tools, system_prompt=SYSTEM, middleware=wrapped, checkpointer=saver)

    assert_sound(lambda make: play(Caching, make, asynchronous=False), model="claude-sonnet-4-5")
    assert set(marks) == {("ephemeral", "ephemeral"), "ephemeral"}


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
