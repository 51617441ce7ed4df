"""LlamaIndex with Prunus: an agent that sends pruned messages and remembers whole ones."""

from __future__ import annotations

import asyncio
import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound, load_snippet
from tests.integrations.wires import chat_calls

pytest.importorskip(
    "llama_index", reason="llama-index-core is not installed: make integrations FRAMEWORKS=llama-index"
)

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ImageBlock,
    LLMMetadata,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool

from prunus.integrations.llama_index import PrunedFunctionAgent, put_back, to_rows


def rows_of(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for message in messages:
        text = "".join(block.text for block in message.blocks if isinstance(block, TextBlock))
        row: dict[str, Any] = {"role": message.role.value, "content": text}
        made = [
            (b.tool_call_id, b.tool_name, b.tool_kwargs) for b in message.blocks if isinstance(b, ToolCallBlock)
        ]
        if made:
            row["tool_calls"] = chat_calls(made)
        if row["role"] == "tool":
            row["tool_call_id"] = message.additional_kwargs["tool_call_id"]
        found.append(row)
    return found


class ScriptedLLM(FunctionCallingLLM):
    """A model that plays the scenario."""

    _answer: Any = None

    def __init__(self, played: Played, last: Callable[[], Any] = lambda: None) -> None:
        super().__init__()
        self._answer = lambda messages: played.ask(rows_of(messages), last())

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=MODEL, is_function_calling_model=True, context_window=1_000_000)

    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        move = self._answer(messages)
        blocks: list[Any] = [
            ToolCallBlock(tool_call_id=move.id(n), tool_name=call.tool, tool_kwargs=call.arguments)
            for n, call in enumerate(move.calls)
        ]
        return ChatResponse(message=ChatMessage(role="assistant", blocks=blocks or [TextBlock(text=move.text)]))

    async def astream_chat(self, messages: Sequence[ChatMessage], **more: Any) -> Any:
        async def answer() -> Any:
            yield await self.achat(messages, **more)

        return answer()

    def get_tool_calls_from_response(self, response: ChatResponse, *_: Any, **__: Any) -> list[ToolSelection]:
        return [
            ToolSelection(tool_id=b.tool_call_id, tool_name=b.tool_name, tool_kwargs=b.tool_kwargs)
            for b in response.message.blocks
            if isinstance(b, ToolCallBlock)
        ]

    def _prepare_chat_with_tools(self, tools: Any, chat_history: Any = None, **_: Any) -> dict[str, Any]:
        return {"messages": chat_history}

    def chat(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    complete = stream_chat = stream_complete = acomplete = astream_complete = chat


def tools_of(played: Played) -> list[FunctionTool]:
    """The tools of the scenario, on the event loop: results of threads would come in any order."""

    def beside(tool: Callable[..., str]) -> Callable[..., Any]:
        @functools.wraps(tool)
        async def run(*args: Any, **more: Any) -> str:
            return tool(*args, **more)

        return run

    return [FunctionTool.from_defaults(async_fn=beside(one)) for one in played.workspace.tools]


def play(make: Callable[[], Pruner] | None, *, streaming: bool, several: bool) -> Played:
    played = Played()

    def begin() -> Any:
        made: list[Any] = []
        llm = ScriptedLLM(played, lambda: made[0].last if make else None)
        options = {"llm": llm, "tools": tools_of(played), "system_prompt": SYSTEM, "streaming": streaming}
        made.append(PrunedFunctionAgent(pruner=make(), **options) if make else FunctionAgent(**options))
        return AgentWorkflow(agents=made) if several else made[0]

    async def turn(agent: Any, prompt: str, memory: ChatMemoryBuffer) -> None:
        result = await agent.run(user_msg=prompt, memory=memory, max_iterations=60)
        played.answers.append(str(result))

    async def run() -> None:
        memory = ChatMemoryBuffer.from_defaults(token_limit=1_000_000)
        agent = begin()
        await turn(agent, PROMPTS[0], memory)
        await turn(agent, PROMPTS[1], memory)
        played.resumed_at = len(played.requests)
        stored = copy.deepcopy(memory.get_all())
        memory = ChatMemoryBuffer.from_defaults(chat_history=stored, token_limit=1_000_000)
        await turn(begin(), PROMPTS[2], memory)
        played.stored = rows_of(memory.get_all())

    asyncio.run(run())
    return played


@pytest.mark.parametrize(("streaming", "several"), [(True, False), (False, False), (True, True)])
def test_an_agent_sends_less_and_ends_the_same(streaming: bool, several: bool) -> None:
    assert_sound(lambda make: play(make, streaming=streaming, several=several), before=1)


def test_the_snippet_of_the_page_makes_an_agent_that_prunes() -> None:
    played = Played()
    agent = load_snippet("llama_index.py").build_agent(ScriptedLLM(played), tools_of(played))

    async def run() -> str:
        return str(await agent.run(user_msg=PROMPTS[0], max_iterations=60))

    assert asyncio.run(run())
    assert agent.last is not None and agent.last.report.saved > 0
    assert played.sent_less_than_stored()


def test_blocks_that_are_no_text_stay_and_are_counted() -> None:
    shown = ChatMessage(
        role="tool",
        blocks=[TextBlock(text="here"), ImageBlock(url="http://x/y.png")],
        additional_kwargs={"tool_call_id": "c"},
    )
    [row] = to_rows(shown)
    assert (row.part, row.unmapped) == (None, 1)
    made = ToolCallBlock(tool_call_id="c", tool_name="bash", tool_kwargs={"command": "ls"})
    said = ChatMessage(role="assistant", blocks=[TextBlock(text="one"), made])
    new = put_back(said, {"text": "short", 1: {"command": "..."}})
    assert [block.model_dump() for block in new.blocks] == [
        TextBlock(text="short").model_dump(),
        made.model_copy(update={"tool_kwargs": {"command": "..."}}).model_dump(),
    ]
    assert said.blocks[0].text == "one" and said.blocks[1].tool_kwargs == {"command": "ls"}


def test_calls_that_a_provider_gave_beside_the_blocks_are_seen_and_stay() -> None:
    class Function:
        name, arguments = "bash", '{"command": "ls"}'

    class Call:
        id, function = "c", Function

    said = ChatMessage(role="assistant", blocks=[], additional_kwargs={"tool_calls": [Call]})
    [row] = to_rows(said)
    assert row.chat["tool_calls"][0]["function"] == {"name": "bash", "arguments": '{"command": "ls"}'}
    assert row.calls == (None,)
