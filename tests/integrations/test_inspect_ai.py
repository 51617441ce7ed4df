"""Inspect with Prunus before the model of its react agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, PROMPTS, SYSTEM, Played, assert_sound, load_snippet
from tests.integrations.wires import chat_calls

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed: make integrations FRAMEWORKS=inspect-ai")

from inspect_ai import Task, eval
from inspect_ai.agent import react, run
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall, ToolDef

from prunus.integrations.inspect_ai import PrunedGenerate, put_back, to_rows


def rows_of(messages: list[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for message in messages:
        row: dict[str, Any] = {"role": message.role, "content": message.text}
        if isinstance(message, ChatMessageTool):
            row["tool_call_id"] = message.tool_call_id
        if isinstance(message, ChatMessageAssistant) and message.tool_calls:
            row["tool_calls"] = chat_calls([(one.id, one.function, one.arguments) for one in message.tool_calls])
        found.append(row)
    return [row for row in found if row["role"] != "system"]


def scripted(played: Played, last: Callable[[], Any] = lambda: None) -> Any:
    """A model that plays the scenario."""

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        move = played.ask(rows_of(messages), last())
        output = ModelOutput.from_content(MODEL, move.text)
        output.usage = ModelUsage()  # otherwise tokens are counted with a table from the network
        output.message.tool_calls = [
            ToolCall(id=move.id(n), function=call.tool, arguments=dict(call.arguments))
            for n, call in enumerate(move.calls)
        ] or None
        return output

    return get_model(f"mockllm/{MODEL}", custom_outputs=answer, memoize=False)


def tools_of(played: Played) -> list[Any]:
    here = played.workspace

    async def read_file(path: str) -> str:
        return here.read_file(path)

    async def write_file(path: str, content: str) -> str:
        return here.write_file(path, content)

    async def edit_file(path: str, old_str: str, new_str: str) -> str:
        return here.edit_file(path, old_str, new_str)

    async def bash(command: str) -> str:
        return here.bash(command)

    described = {name: name for name in ("path", "content", "old_str", "new_str", "command")}
    return [
        ToolDef(
            one,
            name=one.__name__,
            description=one.__name__,
            parameters={name: described[name] for name in one.__annotations__ if name != "return"},
        )
        for one in (read_file, write_file, edit_file, bash)
    ]


def evaluate(solve: Callable[[], Any], folder: Path) -> None:
    """Run a function as the solver of an evaluation with one sample."""

    @solver
    def only() -> Any:
        async def go(state: Any, generate: Any) -> Any:
            await solve()
            return state

        return go

    [log] = eval(
        Task([Sample("go")], solver=only()), model="mockllm/model", display="none", log_dir=str(folder), score=False
    )
    assert log.status == "success", log.error


def play(folder: Path, make: Callable[[], Pruner] | None) -> Played:
    played = Played()

    def begin() -> Any:
        here = PrunedGenerate(None, pruner=make()) if make else None
        model = scripted(played, lambda: here.last if here else None)
        if here:
            here._model = model
        return react(model=here or model, tools=tools_of(played), prompt=SYSTEM, submit=False)

    async def turn(agent: Any, history: list[Any], prompt: str) -> list[Any]:
        spoken = [message for message in history if message.role != "system"]
        done = await run(agent, [*spoken, ChatMessageUser(content=prompt)])
        played.answers.append(done.output.completion)
        return done.messages

    async def solve() -> None:
        agent = begin()
        history = await turn(agent, [], PROMPTS[0])
        history = await turn(agent, history, PROMPTS[1])
        played.resumed_at = len(played.requests)
        stored = [type(message).model_validate_json(message.model_dump_json()) for message in history]
        played.stored = rows_of(await turn(begin(), stored, PROMPTS[2]))

    evaluate(solve, folder)
    return played


def test_an_agent_sends_less_and_ends_the_same(tmp_path: Path) -> None:
    assert_sound(lambda make: play(tmp_path, make), before=1)


def test_the_snippet_of_the_page_makes_an_agent_that_prunes(tmp_path: Path) -> None:
    played = Played()
    agent = load_snippet("inspect_ai.py").build_agent(scripted(played), tools_of(played), submit=False)

    async def solve() -> None:
        await run(agent, PROMPTS[0])

    evaluate(solve, tmp_path)
    assert played.sent_less_than_stored()


def test_a_message_with_an_image_stays_and_is_counted() -> None:
    shown = ChatMessageTool(content=[ContentText(text="here"), ContentImage(image="x.png")], tool_call_id="c")
    [row] = to_rows(shown)
    assert (row.part, row.unmapped) == (None, 1)
    said = ChatMessageAssistant(content="one", tool_calls=[ToolCall(id="c", function="bash", arguments={"a": "b"})])
    new = put_back(said, {"text": "short", "c": {"a": "..."}})
    assert new.text == "short" and new.tool_calls[0].arguments == {"a": "..."} and new.id == said.id
    assert said.text == "one" and said.tool_calls[0].arguments == {"a": "b"}
