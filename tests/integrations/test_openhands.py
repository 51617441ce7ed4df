"""The OpenHands SDK with Prunus as the condenser of its agent."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from prunus import Pruner
from tests.integrations.scenario import MODEL, PROMPTS, Played, Workspace, assert_sound, load_snippet

pytest.importorskip(
    "openhands.sdk", reason="openhands-sdk is not installed: make integrations FRAMEWORKS=openhands"
)

from openhands.sdk import LLM, Action, Agent, Conversation, Message, Observation, TextContent, Tool, ToolDefinition
from openhands.sdk.event import LLMConvertibleEvent, MessageEvent
from openhands.sdk.llm import LLMResponse, MessageToolCall
from openhands.sdk.testing import TestLLM
from openhands.sdk.tool import ToolExecutor, register_tool

from prunus.integrations.openhands import PrunusCondenser


class WorkspaceAction(Action):
    """The arguments of any tool of the scenario."""

    path: str = ""
    content: str = ""
    old_str: str = ""
    new_str: str = ""
    command: str = ""


class WorkspaceObservation(Observation):
    """What a tool of the scenario says."""


class Stage:
    """The run that is going on: events and models are copied and stored, so they cannot hold it."""

    played: ClassVar[Played]
    last: ClassVar[Callable[[], Any]] = staticmethod(lambda: None)


class WorkspaceExecutor(ToolExecutor[WorkspaceAction, WorkspaceObservation]):
    def __init__(self, tool: str) -> None:
        self.tool = tool

    def __call__(self, action: WorkspaceAction, conversation: Any = None) -> WorkspaceObservation:
        given = action.model_dump(exclude_unset=True, exclude={"kind"})
        return WorkspaceObservation.from_text(Stage.played.workspace.run(self.tool, given))


class WorkspaceTool(ToolDefinition[WorkspaceAction, WorkspaceObservation]):
    """A tool of the scenario; its class says which one."""

    @classmethod
    def create(cls, conv_state: Any = None, **_: Any) -> Sequence[Any]:
        return [
            cls(
                description=cls.name,
                action_type=WorkspaceAction,
                observation_type=WorkspaceObservation,
                executor=WorkspaceExecutor(cls.name),
            )
        ]


class ReadFileTool(WorkspaceTool):
    name = "read_file"


class WriteFileTool(WorkspaceTool):
    name = "write_file"


class EditFileTool(WorkspaceTool):
    name = "edit_file"


class BashTool(WorkspaceTool):
    name = "bash"


for kind in (ReadFileTool, WriteFileTool, EditFileTool, BashTool):
    register_tool(kind.name, kind)


def rows_of(messages: Sequence[Message]) -> list[dict[str, Any]]:
    found = []
    for message in messages:
        text = "".join(one.text for one in message.content if isinstance(one, TextContent))
        row: dict[str, Any] = {"role": message.role, "content": text}
        if message.tool_call_id:
            row["tool_call_id"] = message.tool_call_id
        if message.tool_calls:
            row["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in message.tool_calls
            ]
        found.append(row)
    return found


class ScriptedLLM(TestLLM):
    """A model that plays the scenario."""

    def completion(self, messages: list[Message], *_: Any, **__: Any) -> LLMResponse:
        move = Stage.played.ask(rows_of(messages), Stage.last())
        calls = [
            MessageToolCall(
                id=move.id(n), name=call.tool, arguments=json.dumps(call.arguments), origin="completion"
            )
            for n, call in enumerate(move.calls)
        ]
        answer = Message(role="assistant", content=[TextContent(text=move.text)], tool_calls=calls or None)
        raw = self._create_model_response(answer)
        raw.id = f"response-{move.number}"
        return LLMResponse(message=answer, metrics=self._zero_metrics(), raw_response=raw)


def scripted() -> LLM:
    return ScriptedLLM(model=MODEL, usage_id="scripted")


def tools() -> list[Tool]:
    return [Tool(name=one.__name__) for one in Workspace().tools]


def play(folder: Path, make: Callable[[], Pruner] | None) -> Played:
    Stage.played = played = Played()
    where = folder / uuid.uuid4().hex
    id = uuid.uuid4()

    def begin() -> Any:
        here = PrunusCondenser(pruner=make()) if make else None
        Stage.last = lambda: here.last if here else None
        agent = Agent(llm=scripted(), tools=tools(), condenser=here, include_default_tools=[])
        return Conversation(
            agent=agent, workspace=str(folder), persistence_dir=str(where), conversation_id=id, visualizer=None
        )

    def turn(conversation: Any, prompt: str) -> None:
        conversation.send_message(prompt)
        conversation.run()
        said = [event for event in conversation.state.events if isinstance(event, MessageEvent)][-1]
        played.answers.append(said.llm_message.content[0].text)

    conversation = begin()
    turn(conversation, PROMPTS[0])
    turn(conversation, PROMPTS[1])
    conversation.close()
    played.resumed_at = len(played.requests)
    conversation = begin()
    turn(conversation, PROMPTS[2])
    events = [event for event in conversation.state.events if isinstance(event, LLMConvertibleEvent)]
    played.stored = [
        row for row in rows_of(LLMConvertibleEvent.events_to_messages(events)) if row["role"] != "system"
    ]
    conversation.close()
    return played


def test_an_agent_sends_less_and_ends_the_same(tmp_path: Path) -> None:
    assert_sound(lambda make: play(tmp_path, make), before=None)


def test_the_snippet_of_the_page_makes_an_agent_that_prunes(tmp_path: Path) -> None:
    Stage.played, Stage.last = Played(), lambda: None
    agent = load_snippet("openhands.py").build_agent(scripted(), tools(), include_default_tools=[])
    conversation = Conversation(agent=agent, workspace=str(tmp_path), visualizer=None)
    conversation.send_message(PROMPTS[0])
    conversation.run()
    assert Stage.played.sent_less_than_stored()
    assert Agent.model_validate_json(agent.model_dump_json()).condenser.last is None
    conversation.close()
