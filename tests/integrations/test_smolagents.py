"""smolagents with Prunus: agents that make shorter messages of their memory."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

import pytest

from prunus import Pruner, Settings
from tests.integrations.scenario import MODEL, PROMPTS, Played, assert_sound, load_snippet
from tests.integrations.wires import chat_calls

pytest.importorskip("smolagents", reason="smolagents is not installed: make integrations FRAMEWORKS=smolagents")

from smolagents import ActionStep, ChatMessage, MessageRole, Model, TaskStep, ToolCall, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction
from smolagents.monitoring import LogLevel, Timing

from prunus.integrations.smolagents import PrunedCodeAgent, PrunedToolCallingAgent, put_back, to_rows

CALLING, OBSERVED, TASK = "Calling tools:\n", "Observation:\n", "New task:\n"


def text_of(message: ChatMessage) -> str:
    content = message.content
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content or ())


def rows_of(messages: list[ChatMessage]) -> list[dict[str, Any]]:
    """The messages as chat rows. Several calls have one text for all their results: it goes with the first one."""
    found: list[dict[str, Any]] = []
    waiting: list[str] = []
    for message in messages:
        text = text_of(message)
        if text.startswith(CALLING):
            made = [
                (c["id"], c["function"]["name"], c["function"]["arguments"])
                for c in ast.literal_eval(text[len(CALLING) :])
            ]
            if made[0][1] == "final_answer":
                found.append({"role": "assistant", "content": made[0][2]["answer"]})
                waiting = []
            else:
                found.append({"role": "assistant", "content": None, "tool_calls": chat_calls(made)})
                waiting = [id for id, _, _ in made]
        elif text.startswith(OBSERVED):
            for n, id in enumerate(waiting):
                # smolagents takes the last line end from results.
                content = text[len(OBSERVED) :] + "\n" if n == 0 else ""
                found.append({"role": "tool", "tool_call_id": id, "content": content})
        elif text.startswith(TASK):
            found.append({"role": "user", "content": text[len(TASK) :]})
    return found


class ScriptedModel(Model):
    """A model that plays the scenario; its last words are a call, too."""

    def __init__(self, played: Played, last: Callable[[], Any] = lambda: None) -> None:
        super().__init__(model_id=MODEL)
        self.played, self.last = played, last

    def generate(self, messages: list[ChatMessage], **_: Any) -> ChatMessage:
        move = self.played.ask(rows_of(messages), self.last())
        calls = [(move.id(n), call.tool, call.arguments) for n, call in enumerate(move.calls)]
        made = [
            ChatMessageToolCall(
                id=id, type="function", function=ChatMessageToolCallFunction(name=name, arguments=given)
            )
            for id, name, given in calls or [(move.id(0), "final_answer", {"answer": move.text})]
        ]
        return ChatMessage(role=MessageRole.ASSISTANT, content=None, tool_calls=made)


def tools_of(played: Played) -> list[Any]:
    """The tools of the scenario; smolagents reads what a tool is from its source."""
    workspace = played.workspace

    @tool
    def read_file(path: str) -> str:
        """Read a file.

        Args:
            path: The file.
        """
        return workspace.read_file(path)

    @tool
    def write_file(path: str, content: str) -> str:
        """Write a file.

        Args:
            path: The file.
            content: Its text.
        """
        return workspace.write_file(path, content)

    @tool
    def edit_file(path: str, old_str: str, new_str: str) -> str:
        """Replace a text in a file.

        Args:
            path: The file.
            old_str: What goes.
            new_str: What comes.
        """
        return workspace.edit_file(path, old_str, new_str)

    @tool
    def bash(command: str) -> str:
        """Run a command.

        Args:
            command: The command.
        """
        return workspace.bash(command)

    return [read_file, write_file, edit_file, bash]


def play(make: Callable[[], Pruner] | None) -> Played:
    played = Played()

    def begin() -> ToolCallingAgent:
        made: list[Any] = []
        model = ScriptedModel(played, lambda: made[0].last if make else None)
        options = {"tools": tools_of(played), "model": model, "verbosity_level": LogLevel.OFF}
        made.append(PrunedToolCallingAgent(pruner=make(), **options) if make else ToolCallingAgent(**options))
        return made[0]

    agent = begin()
    played.answers += [agent.run(PROMPTS[0]), agent.run(PROMPTS[1], reset=False)]
    played.resumed_at = len(played.requests)
    stored = copy.deepcopy(agent.memory.steps)
    agent = begin()
    agent.memory.steps = stored
    played.answers.append(agent.run(PROMPTS[2], reset=False))
    played.stored = rows_of([message for step in agent.memory.steps for message in step.to_messages()])
    return played


def test_an_agent_sends_less_and_ends_the_same() -> None:
    assert_sound(play, before=None)


def test_the_snippet_of_the_page_makes_an_agent_that_prunes() -> None:
    played = Played()
    agent = load_snippet("smolagents.py").build_agent(
        ScriptedModel(played), tools_of(played), verbosity_level=LogLevel.OFF
    )
    agent.run(PROMPTS[0])
    assert agent.last is not None and agent.last.report.saved > 0
    assert played.sent_less_than_stored()


def test_an_agent_that_writes_code_prunes_what_its_code_printed() -> None:
    log = "\n".join(f"row {n} of a table that is printed again and again" for n in range(300))
    codes = [f"print({log!r})\nprint('run {n}')" for n in range(3)] + ["final_answer('done')"]
    asked: list[list[ChatMessage]] = []

    class Coder(Model):
        def generate(self, messages: list[ChatMessage], **_: Any) -> ChatMessage:
            asked.append(messages)
            return ChatMessage(role=MessageRole.ASSISTANT, content=f"<code>\n{codes[len(asked) - 1]}\n</code>")

    agent = PrunedCodeAgent(
        tools=[], model=Coder(model_id=MODEL), verbosity_level=LogLevel.OFF, pruner=Pruner(Settings(preset="auto"))
    )
    assert agent.run("Print it.") == "done"
    assert agent.last is not None and agent.last.error is None and agent.last.report.saved > 0
    whole = [message for step in agent.memory.steps for message in step.to_messages()]
    assert sum(map(len, map(text_of, asked[-1][1:]))) < sum(map(len, map(text_of, whole)))


def test_a_plan_gets_the_cuts_that_are_made_and_no_new_ones() -> None:
    agent = load_snippet("smolagents.py").build_agent(ScriptedModel(Played()), [], verbosity_level=LogLevel.OFF)
    agent.memory.steps = [TaskStep(task="Go on."), *(step(n, "a\n" * 900) for n in range(6))]
    before = [text_of(message) for message in agent.write_memory_to_messages(summary_mode=True)]
    assert sum("a\n" * 900 in text for text in before) == 6
    sent = [text_of(message) for message in agent.write_memory_to_messages()]
    assert sum("a\n" * 900 in text for text in sent) < 6
    after = [text_of(message) for message in agent.write_memory_to_messages(summary_mode=True)]
    assert [text for text in sent if text.startswith(OBSERVED)] == [t for t in after if t.startswith(OBSERVED)]


def step(number: int, observations: str, calls: int = 1, **more: Any) -> ActionStep:
    made = [ToolCall(id=f"c{number}_{n}", name="read_file", arguments={"path": "a"}) for n in range(calls)]
    return ActionStep(
        step_number=number, timing=Timing(start_time=0.0), tool_calls=made, observations=observations, **more
    )


def test_results_that_nobody_can_tell_apart_stay_and_are_counted() -> None:
    rows = list(to_rows(step(1, "one\ntwo", calls=2)))
    assert [(row.part, row.unmapped) for row in rows] == [(None, 0), (None, 1), (None, 1)]
    known = step(1, "one\ntwo", calls=2)
    known.prunus_observations = {"c1_0": "one", "c1_1": "two"}  # type: ignore[attr-defined]
    assert [row.part for row in to_rows(known)] == [None, 0, 1]
    new = put_back(known, {1: "gone", "c1_0": {"path": "b"}})
    assert (new.observations, new.tool_calls[0].arguments) == ("one\ngone", {"path": "b"})
    assert (known.observations, known.tool_calls[0].arguments) == ("one\ntwo", {"path": "a"})


def test_a_step_that_failed_stays_as_it_is() -> None:
    failed = step(1, "half of it", error=ValueError("no"))
    rows = list(to_rows(failed))
    assert rows[1].chat["content"] == "half of it\nError: no" and rows[1].part is None
    [_, row] = to_rows(ActionStep(step_number=1, timing=Timing(start_time=0.0), error=ValueError("no")))
    assert row.chat == {"role": "user", "content": "Error: no"}
