"""Microsoft Agent Framework: a chat middleware that prunes what an agent sends.

    Agent(client=client, tools=tools, middleware=[PrunusChatMiddleware()])

The messages of the session stay whole.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from agent_framework import ChatContext, ChatMiddleware, Content, Message

from prunus.integrations.integration import Integration
from prunus.integrations.rows import ChatRow, MadeCall, RowChanges, answered, prune_rows, said


class PrunusChatMiddleware(Integration, ChatMiddleware):
    """Prunes every request that an agent sends to its model."""

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Send a pruned history; the pruning happens beside the event loop."""
        context.messages = await self.safely_aside(context.messages, lambda: self._pruned(context))
        await call_next()

    def _pruned(self, context: ChatContext) -> list[Any]:
        options = context.options or {}
        return prune_rows(
            self,
            context.messages,
            to_rows,
            put_back,
            system=str(options.get("instructions") or ""),
            tools=[str(getattr(tool, "name", "")) for tool in options.get("tools") or ()],
            model=str(options.get("model") or getattr(context.client, "model", None) or ""),
        )


def to_rows(message: Message) -> Iterator[ChatRow]:
    """The rows of a message: one for each result, or one for its words and calls."""
    contents = list(enumerate(message.contents))
    results = [(index, one) for index, one in contents if one.type == "function_result"]
    texts = [(index, one) for index, one in contents if one.type == "text"]
    calls = [
        MadeCall(one.call_id, one.name, one.arguments or {}, index)
        for index, one in contents
        if one.type == "function_call"
    ]
    others = len(contents) - len(results) - len(texts) - len(calls)
    for index, one in results:
        whole = all(item.type == "text" for item in one.items or ())
        yield answered(one.call_id, str(one.result or ""), index if whole else None, 0 if whole else 1)
    if results and not texts and not calls:
        return
    text = "\n".join(one.text or "" for _, one in texts)
    part = texts[0][0] if len(texts) == 1 else None
    yield said(str(message.role), text, part, others, calls)


def put_back(message: Message, changes: RowChanges) -> Message:
    """A copy of a message with these changes; the contents are named by their place."""
    new = copy.copy(message)
    new.contents = [_changed(one, changes[n]) if n in changes else one for n, one in enumerate(message.contents)]
    return new


def _changed(content: Content, value: Any) -> Content:
    made = copy.copy(content)
    if content.type == "function_result":
        made.result, made.items = value, [Content.from_text(value)]
    elif content.type == "function_call":
        made.arguments = json.dumps(value) if isinstance(content.arguments, str) else value
    else:
        made.text = value
    return made
