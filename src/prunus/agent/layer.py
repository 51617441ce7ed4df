"""Gives the model tools to prune its own context, in all requests of a proxy, without the client noticing.

Before a request is pruned, the layer adds the tools, and restores the hidden calls and intents of earlier turns,
which the client does not send. While the answer streams, the layer answers hidden calls and removes intents. It
keeps both for later requests.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from threading import Lock
from typing import Any, Final

from prunus.agent.answer import execute
from prunus.agent.chat_commands import command_of, respond, statistics
from prunus.agent.steps import call_key, intent_key, root, text_key
from prunus.agent.threads import Found, Threads
from prunus.agent.tool import TOOLS, guidance, offer
from prunus.edits import Edit
from prunus.outcome import Outcome
from prunus.providers.answer_stream import AnswerStream
from prunus.providers.blocks import decode_or
from prunus.providers.filters import IntentFilter, RemovedIntent, ShownIds
from prunus.providers.hidden_calls import CallSite, HiddenCall, HiddenExchange, MixedCall
from prunus.providers.provider import Api, ToolResult
from prunus.providers.recognition import provider_named
from prunus.providers.rewriting import extended, place_beside, rewritten
from prunus.settings import Settings
from prunus.store.store import NoReceipts, Store, StoreError

_KNOWN: Final = 20_000
"""Records that are kept at hand."""
_OFFERS: Final = 64
"""Lists of tools that are kept at hand as they are offered."""
_SHARE: Final = 6
"""A pruner counts six bytes for each byte of a body; only bodies are held here, so that they stay as long."""
_STREAM: Final = "text/event-stream; charset=utf-8"
_WHOLE: Final = "application/json"
_LAST: Final = "This was the last call of this kind in this turn; go on with the task."


class AgentLayer:
    """Takes part in the exchanges of a proxy, as `proxy.hooks` describes. It does no I/O apart from the store."""

    def __init__(
        self,
        settings: Settings,
        store: Store | None = None,
        trouble: Callable[[Exception], None] | None = None,
    ) -> None:
        """If the store fails, the layer calls `trouble` and continues with the records in memory."""
        self.settings = settings
        self.offer = lru_cache(_OFFERS)(partial(offer, settings.toolbox(), settings.agent))
        self.threads = Threads(
            settings.limits.conversations, settings.limits.memory // _SHARE, intents=settings.agent.intent
        )
        self.guidance = guidance(settings) if settings.agent.offer != "off" else ""
        self._store = store
        self._trouble = trouble
        self._known: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._lock = Lock()

    def open(
        self, body: bytes, format: str, *, streaming: bool, tenant: str, caller: str, offers: bool = True
    ) -> HiddenTurn | None:
        """Begin an exchange; return None if the layer has nothing to do in it.

        `body` is JSON without content encoding. `caller` tells those apart who use the proxy as one tenant, each
        with credentials of their own. With `offers`, the model is offered tools and the user may type commands;
        without, a request only gets back what the client does not know of earlier turns.
        """
        agent = self.settings.agent
        api = provider_named(format)
        asleep = agent.offer == "off" and not agent.commands and not agent.intent
        if asleep or not isinstance(api, Api) or body[:1] == b"[":
            return None
        return HiddenTurn(self, body, api, streaming=streaming, tenant=tenant, caller=caller, offers=offers)

    def recall(self, tenant: str, keys: Iterable[str]) -> Found:
        """Return the records that are kept under these keys."""
        wanted = list(keys)
        with self._lock:
            found = {key: raw for key in wanted if (raw := self._known.get((tenant, key))) is not None}
        unknown = [key for key in wanted if key not in found]
        if not unknown or self._store is None:
            return Found(found)
        try:
            return Found(found | self._store.hidden(tenant, unknown))
        except StoreError as error:
            self._report(error)
            return Found(found, whole=False)

    def keep(self, tenant: str, key: str, raw: bytes) -> None:
        """Save a record. This happens before the client can send a request that needs the record."""
        with self._lock:
            self._known[tenant, key] = raw
            while len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        if self._store is not None:
            try:
                self._store.save_hidden(tenant, key, raw)
            except StoreError as error:
                self._report(error)

    def statistics(self, tenant: str, caller: str, body: bytes, format: str) -> str:
        """Return the savings of this conversation so far; empty if no store counts them."""
        try:
            return statistics(self._store, tenant, caller, body, format) if self._store is not None else ""
        except NoReceipts:
            return ""
        except StoreError as error:
            self._report(error)
            return ""

    def _report(self, error: Exception) -> None:
        if self._trouble is not None:
            self._trouble(error)


class HiddenTurn:
    """One request, from its arrival to the end of its answer. `proxy.hooks` says in which order the methods run."""

    def __init__(
        self, layer: AgentLayer, body: bytes, api: Api, *, streaming: bool, tenant: str, caller: str, offers: bool
    ) -> None:
        self._layer = layer
        self._settings = layer.settings
        self._arrival = layer.threads.arrive(body, api, root(tenant, caller, api.name))
        self._api = api
        self._streaming = streaming
        self._tenant = tenant
        self._caller = caller
        self._offers = offers
        self._hides = False
        self._edit_tools: frozenset[str] = frozenset()
        """The tools to which Prunus added the argument `intent`."""
        self._answer: AnswerStream | None = None
        self._link = b""
        """The link that names the conversation before the answer. Records of the answer are kept under it."""
        self._given = body
        """The request before pruning, with the hops of this turn appended."""
        self._sent = b""
        """The request that was sent last, after pruning."""
        self._hop: list[Any] = []
        """The messages that the next request to the provider appends to the last one."""
        self._edits: Sequence[Edit] = ()
        """The edits in the request that was sent last."""
        self._messages: list[Any] = []
        """The messages of all hops so far, with hidden calls and results."""
        self._thoughts: list[str] = []
        """The signatures or texts of the reasoning in these messages."""
        self._before = ""
        """The words that the client has seen of all hops so far."""
        self._hops = 0
        self._kept: set[str] = set()
        """The keys of the intents that are saved already."""

    @property
    def watches(self) -> bool:
        """Whether the answer passes through `feed`; known after `after`."""
        return self._answer is not None

    def reply(self) -> tuple[str, bytes] | None:
        """Return content type and body of the answer to a command; None if the newest message is no command."""
        cut = self._arrival.cut
        command = command_of(cut) if self._settings.agent.commands and self._offers else None
        if command is None:
            return None
        body = self.before()
        box = ""
        if command.name == "stats":
            box = self._layer.statistics(self._tenant, self._caller, body, self._api.name)
        text = respond(command, body, self._api.name, self._settings, box)
        answer = self._api.reply(text, cut.model, streaming=self._streaming)
        return _STREAM if self._streaming else _WHOLE, answer

    def before(self) -> bytes:
        """Return the body to prune: the client's, with hidden exchanges, intents, tools and guidance added."""
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
        self._given = rewritten(cut.body, [*thread.changes(), *beside])
        return self._given

    def after(self, outcome: Outcome[bytes]) -> bytes:
        """Return the body to send, and prepare to read its answer."""
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
        """Return the bytes for the client that follow from a chunk of the answer."""
        return chunk if self._answer is None else self._answer.feed(chunk)

    def end(self) -> tuple[bytes, bytes | None]:
        """End a hop. Return the bytes for the client, and the body of a further hop if one is needed.

        Without a further hop, the bytes end the message for the client.
        """
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
            mixed = (MixedCall(one.block, one.id, one.tool, self._executed(one), one.before) for one in hidden)
            self._save(answer, list(mixed))
        elif self._hops and answer.whole:
            self._save(answer, [])
        return out + closing, None

    def again(self, outcome: Outcome[bytes] | None) -> bytes:
        """Return the body of a further hop, without the parts that the agent has just discarded.

        If that body could not be pruned, the new messages are appended to the request that was sent last.
        """
        if outcome is None:
            self._sent = extended(self._sent, self._api, self._hop)
        else:
            self._edits, self._sent = outcome.edits, outcome.body
        self._hop = []
        return self._sent

    def fail(self, status: int, body: bytes) -> bytes:
        """Return the bytes that tell the client, in the middle of its answer, that a further hop was refused."""
        if not self._streaming:
            return body
        told = decode_or(body, None)
        error = told.get("error") if isinstance(told, dict) else None
        if not isinstance(error, dict):
            error = {"type": "api_error", "message": f"the provider answered {status}"}
        return self._api.failure(error)

    def _go_on(self, answer: AnswerStream, hidden: Sequence[HiddenCall]) -> None:
        """Append the model's messages and the results of its hidden calls to the request."""
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

    def _save(self, answer: AnswerStream, mixed: list[MixedCall]) -> None:
        record = HiddenExchange(self._api.name, self._messages, self._before, self._thoughts, mixed)
        if answer.visible:
            key = call_key(self._link, answer.visible[0])
        else:
            text = answer.text()
            key = text_key(self._link, text if self._api.merges_words else text[len(self._before) :])
        self._layer.keep(self._tenant, key, record.dump())

    def _keep_intent(self, site: CallSite, removed: RemovedIntent) -> None:
        """Save an intent once, although some formats send the same call several times."""
        key = intent_key(self._link, site)
        if key not in self._kept:
            self._kept.add(key)
            self._layer.keep(self._tenant, key, removed.dump())
