"""OpenHands SDK: a condenser that prunes what an agent sends.

    Agent(llm=llm, tools=tools, condenser=PrunusCondenser())

The events of the conversation stay whole: the condenser gives the agent a view with shorter results.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

from openhands.sdk.context.condenser import CondenserBase
from openhands.sdk.context.view import View
from openhands.sdk.event import ActionEvent, LLMConvertibleEvent, ObservationEvent
from openhands.sdk.llm import Message, TextContent
from pydantic import PrivateAttr

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said
from prunus.outcome import Outcome
from prunus.pruner import Pruner
from prunus.settings import Settings


class PrunedObservation(ObservationEvent):
    """The result of a tool as the model sees it after pruning; it never enters the log of events."""

    pruned: str = ""

    def to_llm_message(self) -> Message:
        """The message of the result, with the pruned text in place of all its texts."""
        message = super().to_llm_message()
        others = [one for one in message.content if not isinstance(one, TextContent)]
        return message.model_copy(update={"content": [TextContent(text=self.pruned), *others]})


class PrunusCondenser(CondenserBase):
    """Prunes every request that an agent sends to its model."""

    _integration: Integration = PrivateAttr()

    def __init__(self, *, pruner: Pruner | None = None, settings: Settings | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        self._integration = Integration(pruner=pruner, settings=settings)

    @property
    def last(self) -> Outcome[Any] | None:
        """What the newest request gave."""
        return self._integration.last

    def condense(self, view: View, agent_llm: Any = None) -> View:
        """The view to send; the given one is the conversation's own, and stays as it is."""
        name = str(getattr(agent_llm, "model", "")).rpartition("/")[2]
        events = prune_rows(self._integration, view.events, to_rows, put_back, model=name)
        return View.model_construct(
            events=events, unhandled_condensation_request=view.unhandled_condensation_request
        )

    async def acondense(self, view: View, agent_llm: Any = None) -> View:
        """The same beside the event loop."""
        return await asyncio.to_thread(self.condense, view, agent_llm)


def to_rows(event: LLMConvertibleEvent) -> Iterator[ChatRow]:
    """The row of an event. Calls that the model made at once are events of their own, and so are their rows."""
    message = event.to_llm_message()
    texts = [one.text for one in message.content if isinstance(one, TextContent)]
    text, others = "\n".join(texts), len(message.content) - len(texts)
    if isinstance(event, ActionEvent):
        call = event.tool_call
        made = MadeCall(call.id, call.name, call.arguments, "call")
        yield said("assistant", text, unmapped=others, calls=[made])
    elif message.role == "tool":
        part = "text" if isinstance(event, ObservationEvent) else None
        yield answered(message.tool_call_id or "", text, part, others)
    else:
        yield said(message.role, text, unmapped=others)


def put_back(event: LLMConvertibleEvent, changes: RowChanges) -> LLMConvertibleEvent:
    """A copy of an event with these changes."""
    if isinstance(event, ActionEvent):
        call = event.tool_call.model_copy(update={"arguments": json.dumps(changes["call"])})
        return event.model_copy(update={"tool_call": call})
    return PrunedObservation.model_construct(**{**event.__dict__, "pruned": changes["text"]})
