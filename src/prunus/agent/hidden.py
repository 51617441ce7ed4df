"""One request whose model has tools that the client does not see.

What the client does not know of earlier turns is put back and the tools are added before the request is pruned.
While the answer streams, hidden calls are answered and intents are taken out, and what the client did not see is
kept for later requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from prunus.agent.answer import execute
from prunus.agent.belonging import call_key, intent_key, root, text_key
from prunus.agent.chat_commands import command_of, respond
from prunus.agent.tool import TOOLS
from prunus.edits import Edit
from prunus.outcome import Outcome
from prunus.providers.answer_stream import UNREAD, AnswerStream
from prunus.providers.filters import IntentFilter, ShownIds
from prunus.providers.hidden_calls import CallSite, HiddenCall, HiddenExchange, MixedCall
from prunus.providers.intent_removed import RemovedIntent
from prunus.providers.provider import Api, ToolResult
from prunus.providers.rewriting import extended, place_beside, rewritten

if TYPE_CHECKING:
    from prunus.agent.layer import AgentLayer

_STREAM: Final = "text/event-stream; charset=utf-8"
_WHOLE: Final = "application/json"
_LAST: Final = "This was the last call of this kind in this turn; go on with the task."


class HiddenTurn:
    """One request, from its arrival to the end of its answer; see `proxy.hooks` for the order of calls."""

    def __init__(
        self, layer: AgentLayer, body: bytes, api: Api, *, streaming: bool, tenant: str, caller: str, offers: bool
    ) -> None:
        self._layer = layer
        self._settings = layer.settings
        self._arrival = layer.threads.arrive(body, api, root(tenant, caller, api.name))
        self._api = api
        self._streaming = streaming
        self._tenant = tenant
        self._offers = offers
        self._hides = False
        self._edit_tools: frozenset[str] = frozenset()
        """The tools that were offered with an intent of ours."""
        self._answer: AnswerStream | None = None
        self._link = b""
        """The conversation up to the answer, by which what the client does not see of the answer is known."""
        self._given = body
        """The request that was pruned, with the hops of this turn behind it."""
        self._sent = b""
        """The request that was sent last."""
        self._hop: list[Any] = []
        """The messages that the next call of this turn has behind the one before."""
        self._edits: Sequence[Edit] = ()
        self._messages: list[Any] = []
        self._thoughts: list[str] = []
        self._before = ""
        self._hops = 0
        self._kept: set[str] = set()

    @property
    def watches(self) -> bool:
        return self._answer is not None

    def reply(self) -> tuple[str, bytes] | None:
        """The answer to a command that the user typed, if the newest message is one."""
        cut = self._arrival.cut
        command = command_of(cut) if self._settings.agent.commands and self._offers else None
        if command is None:
            return None
        body = self.before()
        box = self._layer.statistics(self._tenant, body, self._api.name) if command.name == "stats" else ""
        text = respond(command, body, self._api.name, self._settings, box)
        answer = self._api.reply(text, cut.model, streaming=self._streaming)
        return _STREAM if self._streaming else _WHOLE, answer

    def before(self) -> bytes:
        """The body with what the client does not know: hidden exchanges, intents of edits, tools, and guidance."""
        cut = self._arrival.cut
        tools, edits, hides = self._layer.offer(
            cut.prompt.get("tools"), self._api, intent=not self._api.streams_arguments(cut)
        )
        if self._offers:
            self._edit_tools, self._hides = edits, hides
        else:
            tools = None
        thread = self._layer.threads.read(self._arrival, partial(self._layer.recall, self._tenant), hides=hides)
        self._link = thread.next
        beside = [] if tools is None else [place_beside(cut, "tools", tools)]
        if self._layer.guidance and (hides or self._settings.agent.offer != "hidden"):
            beside += self._api.place_system_text(cut, self._layer.guidance)
        self._given = rewritten(cut, [*thread.changes(), *beside])
        return self._given

    def after(self, outcome: Outcome[bytes]) -> bytes:
        """The pruned body."""
        self._edits, self._sent = outcome.edits, outcome.body
        shows_ids = self._settings.agent.offer != "off" and self._api.hides_tools
        if shows_ids or self._edit_tools:
            self._answer = self._api.stream(
                streaming=self._streaming,
                ids=ShownIds(self._sent) if shows_ids else (),
                tools=TOOLS if self._hides else (),
                intents=IntentFilter(self._edit_tools, self._keep_intent) if self._edit_tools else None,
            )
        return self._sent

    def feed(self, chunk: bytes) -> bytes:
        return chunk if self._answer is None else self._answer.feed(chunk)

    def end(self) -> tuple[bytes, bytes | None]:
        """The hop is over: go on with a further one, or close the client's message."""
        answer = self._answer
        if answer is None:
            return b"", None
        out = answer.finish()
        hidden = answer.hidden if self._hides and answer.whole else []
        if hidden and not answer.visible and self._hops < self._settings.agent.hops:
            self._go_on(answer, hidden)
            return out, self._given
        closing = answer.close()
        if hidden and answer.visible:
            self._save(answer, [self._mixed(call) for call in hidden])
        elif self._hops and answer.whole:
            self._save(answer, [])
        return out + closing, None

    def again(self, outcome: Outcome[bytes] | None) -> bytes:
        """The body of a further call: what the agent has just discarded is gone already.

        Where that body could not be pruned, the call before gets the new hop behind it.
        """
        if outcome is None:
            self._sent = extended(self._sent, self._api, self._hop)
        else:
            self._edits, self._sent = outcome.edits, outcome.body
        self._hop = []
        return self._sent

    def fail(self, status: int, body: bytes) -> bytes:
        """A further call was refused: the client learns it in the middle of its answer."""
        if not self._streaming:
            return body
        try:
            told = msgspec.json.decode(body)
        except UNREAD:
            told = None
        error = told.get("error") if isinstance(told, dict) else None
        if not isinstance(error, dict):
            error = {"type": "api_error", "message": f"the provider answered {status}"}
        return self._api.failure(error)

    def _go_on(self, answer: AnswerStream, hidden: Sequence[HiddenCall]) -> None:
        """Put the model's messages and the results of its hidden calls behind the request."""
        self._hops += 1
        last = f"\n{_LAST}" if self._hops == self._settings.agent.hops else ""
        results = [ToolResult(call.id, call.tool, self._executed(call) + last) for call in hidden]
        said = self._api.sent_back(answer.said(), self._sent, self._arrival.cut)
        self._hop = [*said, *self._api.result_messages(results)]
        self._given = extended(self._given, self._api, self._hop)
        self._messages += self._hop
        self._thoughts += self._api.thoughts_of(said)
        self._before = answer.text()
        answer.again()

    def _executed(self, call: HiddenCall) -> str:
        return execute(
            self._given, call.arguments, self._settings, self._edits, tool=call.tool, format=self._api.name
        )

    def _mixed(self, call: HiddenCall) -> MixedCall:
        return MixedCall(call.block, call.id, call.tool, self._executed(call), call.before)

    def _save(self, answer: AnswerStream, mixed: list[MixedCall]) -> None:
        record = HiddenExchange(self._api.name, self._messages, self._before, self._thoughts, mixed)
        if answer.visible:
            key = call_key(self._link, answer.visible[0])
        else:
            text = answer.text()
            key = text_key(self._link, text if self._api.merges_words else text[len(self._before) :])
        self._layer.keep(self._tenant, key, record.dump())

    def _keep_intent(self, site: CallSite, removed: RemovedIntent) -> None:
        """Keep an intent; some formats tell the same call several times."""
        key = intent_key(self._link, site)
        if key not in self._kept:
            self._kept.add(key)
            self._layer.keep(self._tenant, key, removed.dump())
