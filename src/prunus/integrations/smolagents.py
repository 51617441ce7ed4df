"""smolagents: agents that prune what they send.

    agent = PrunedToolCallingAgent(tools=tools, model=model)

The memory of the agent stays whole; the messages for the model are made of copies of its steps. To prune a class of
your own: `class MyAgent(PrunedAgent, ToolCallingAgent)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from smolagents import ActionStep, ChatMessage, CodeAgent, PlanningStep, TaskStep, ToolCall, ToolCallingAgent
from smolagents.agents import ToolOutput

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said

_OBSERVATIONS: Final = "prunus_observations"
"""The attribute of a step that holds what each of its calls gave: the step itself has one text for all of them."""


class PrunedAgent(Integration):
    """Prunes the messages that an agent makes of its memory. It stands before the class of the agent."""

    def write_memory_to_messages(self, summary_mode: bool = False) -> list[ChatMessage]:
        """The messages for the model; those for a new plan get no new cuts."""
        memory: Any = self.memory  # type: ignore[attr-defined]  # the class behind this one has it
        steps = prune_rows(
            self,
            memory.steps,
            to_rows,
            put_back,
            system=memory.system_prompt.system_prompt,
            tools=sorted(self.tools),  # type: ignore[attr-defined]  # so has it the tools
            model=str(getattr(self.model, "model_id", None) or ""),  # type: ignore[attr-defined]  # and the model
            hold=summary_mode,
        )
        shown = [memory.system_prompt, *steps]
        return [message for step in shown for message in step.to_messages(summary_mode=summary_mode)]

    def process_tool_calls(self, chat_message: ChatMessage, memory_step: ActionStep) -> Iterator[Any]:
        """Run the calls of a step, and note what each of them gave."""
        given: dict[str, str] = {}
        for output in super().process_tool_calls(chat_message, memory_step):  # type: ignore[misc]  # defined there
            if isinstance(output, ToolOutput):
                given[output.id] = output.observation
            yield output
        setattr(memory_step, _OBSERVATIONS, given)


class PrunedToolCallingAgent(PrunedAgent, ToolCallingAgent):
    """A `ToolCallingAgent` whose requests are pruned."""


class PrunedCodeAgent(PrunedAgent, CodeAgent):
    """A `CodeAgent` whose requests are pruned."""


def to_rows(step: Any) -> Iterator[ChatRow]:
    """The rows of a step: a task, a plan, or what the model did and what came of it."""
    match step:
        case TaskStep():
            yield said("user", step.task, unmapped=len(step.task_images or ()))
        case PlanningStep():
            yield said("assistant", step.plan)
        case ActionStep():
            yield from _action(step)


def put_back(step: ActionStep, changes: RowChanges) -> ActionStep:
    """A copy of a step with these changes: results are named by the place of their call, arguments by its id."""
    calls = step.tool_calls or []
    results = {n: changes.get(n, text) for n, text in enumerate(_results(step, calls))}
    return replace(
        step,
        observations="\n".join(results.values()),
        tool_calls=[replace(one, arguments=changes[one.id]) if one.id in changes else one for one in calls],
    )


def _action(step: ActionStep) -> Iterator[ChatRow]:
    calls = step.tool_calls or []
    text = step.model_output if isinstance(step.model_output, str) else ""
    others = len(step.observations_images or ()) + (not isinstance(step.model_output, str | None))
    made = [MadeCall(one.id, one.name, *_arguments(one)) for one in calls]
    yield said("assistant", text.strip(), unmapped=others, calls=made)
    results = _results(step, calls)
    # An error stands behind the result. Results that belong to no single call cannot be changed.
    failed = f"\nError: {step.error}" if step.error is not None else ""
    known = len(results) == len(calls) and not failed
    for n, call in enumerate(calls):
        shown = results[n] if n < len(results) else ""
        yield answered(call.id, shown + (failed if n == 0 else ""), n if known else None, int(not known))
    if failed and not calls:
        yield said("user", failed.strip())


def _arguments(call: ToolCall) -> tuple[Any, Any]:
    """The arguments of a call, and the name of the part; arguments that are no object cannot be put back."""
    if isinstance(call.arguments, dict):
        return call.arguments, call.id
    return {"code": str(call.arguments)}, None


def _results(step: ActionStep, calls: list[ToolCall]) -> list[str]:
    """The result of each call, or one text for all calls if it is unknown where each result ends."""
    whole = step.observations or ""
    given = getattr(step, _OBSERVATIONS, {})
    apart = [given.get(call.id, "") for call in calls]
    return apart if len(calls) > 1 and "\n".join(apart).rstrip("\n") == whole else [whole]
