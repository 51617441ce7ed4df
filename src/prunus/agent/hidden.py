"""The agent's tool behind the client's back, the intent of edits, and commands in the chat.

One `Visit` sees one request, as the proxy's hooks ask: what the client does not know of earlier turns is put back
and the tools are added before it is pruned; hidden calls are answered while the answer streams, the intent of edits
is withheld, and what the client did not see is kept for later requests. Nothing in here does I/O but the store.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from threading import Lock
from typing import Any, Final, Protocol

from prunus.agent.answer import execute
from prunus.agent.belonging import call_key, purpose_key, root, text_key
from prunus.agent.calls import Site
from prunus.agent.chat_commands import command_of, respond
from prunus.agent.echo import ShownIds
from prunus.agent.exchange import FIELDS, extended, place_beside, results, rewritten
from prunus.agent.guidance import guidance
from prunus.agent.hops import as_sent, thoughts_of
from prunus.agent.offer import offer
from prunus.agent.record import Mixed, Record
from prunus.agent.replies import failure, reply
from prunus.agent.schema import TOOLS
from prunus.agent.session import Archive, statistics
from prunus.agent.sse import Event, Events
from prunus.agent.system_text import place_system_text
from prunus.agent.threads import Found, Threads
from prunus.agent.veils import Screen, Veil, veil_of
from prunus.agent.wires import HiddenCall, Wire, wire_of
from prunus.agent.withheld import Withheld
from prunus.edits import Edit
from prunus.outcome import Outcome
from prunus.settings import Settings
from prunus.store.store import StoreError

__all__ = ["AgentLayer", "Shelf", "Visit"]

_KNOWN: Final = 20_000
"""Records that are kept at hand."""
_OFFERS: Final = 64
"""Lists of tools that are kept at hand as they are offered."""
_SHARE: Final = 6
"""A pruner counts six bytes for each byte of a body; only bodies are held here, so that they stay as long."""
_LAST: Final = "This was the last call of this kind in this turn; go on with the task."


class Shelf(Protocol):
    """Where hidden exchanges are kept; a store is one."""

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None: ...

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]: ...


class AgentLayer:
    """What the agent may do about its context, for all requests of a proxy."""

    def __init__(
        self, settings: Settings, shelf: Shelf | None = None, trouble: Callable[[Exception], None] | None = None
    ) -> None:
        """`trouble` is told of a shelf that cannot be used; the layer goes on with what it has at hand."""
        self.settings = settings
        self.offer = lru_cache(_OFFERS)(partial(offer, settings.toolbox(), settings.agent))
        self.threads = Threads(
            settings.limits.conversations, settings.limits.memory // _SHARE, purposes=settings.agent.intent
        )
        self.guidance = guidance(settings) if settings.agent.offer != "off" else ""
        self._shelf = shelf
        self._trouble = trouble
        self._known: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._lock = Lock()

    def open(
        self, body: bytes, format: str, *, streaming: bool, tenant: str, caller: str, offers: bool = True
    ) -> Visit | None:
        """Begin an exchange, in which the model is offered tools or not; None where there is nothing to do."""
        agent = self.settings.agent
        asleep = agent.offer == "off" and not agent.commands and not agent.intent
        if asleep or format not in FIELDS or body[:1] == b"[":
            return None
        return Visit(self, body, format, streaming=streaming, tenant=tenant, caller=caller, offers=offers)

    def recall(self, tenant: str, keys: Iterable[str]) -> Found:
        """The records of these keys."""
        wanted = list(keys)
        with self._lock:
            found = {key: raw for key in wanted if (raw := self._known.get((tenant, key))) is not None}
        unknown = [key for key in wanted if key not in found]
        if not unknown or self._shelf is None:
            return Found(found)
        try:
            return Found(found | self._shelf.hidden(tenant, unknown))
        except StoreError as error:
            self._report(error)
            return Found(found, whole=False)

    def keep(self, tenant: str, key: str, raw: bytes) -> None:
        """Write a record down before the client can ask for what follows it."""
        with self._lock:
            self._known[tenant, key] = raw
            while len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        if self._shelf is not None:
            try:
                self._shelf.save_hidden(tenant, key, raw)
            except StoreError as error:
                self._report(error)

    def statistics(self, tenant: str, body: bytes, format: str) -> str:
        """What was saved so far in the conversation of a request; empty where no store counts it."""
        try:
            return statistics(self._shelf, tenant, body, format) if isinstance(self._shelf, Archive) else ""
        except StoreError as error:
            self._report(error)
            return ""

    def _report(self, error: Exception) -> None:
        if self._trouble is not None:
            self._trouble(error)


class Visit:
    """One request, from its arrival to the end of its answer."""

    def __init__(
        self,
        layer: AgentLayer,
        body: bytes,
        format: str,
        *,
        streaming: bool,
        tenant: str,
        caller: str,
        offers: bool,
    ) -> None:
        self._layer = layer
        self._settings = layer.settings
        self._arrival = layer.threads.arrive(body, format, root(tenant, caller, format))
        self._format = format
        self._streaming = streaming
        self._tenant = tenant
        self._offers = offers
        self._hides = False
        self._wire: Wire | None = None
        self._edit_tools: frozenset[str] = frozenset()
        """Those that were offered with an intent of ours."""
        self._veil: Veil | None = None
        self._events = Events()
        self._link = b""
        """The conversation up to the answer, by which what the client does not see of that is known."""
        self._given = body
        """What was pruned, with the hops of this turn behind it."""
        self._sent = b""
        """What was sent last."""
        self._hop: list[Any] = []
        """What the next call of this turn has behind the one before."""
        self._edits: Sequence[Edit] = ()
        self._messages: list[Any] = []
        self._thoughts: list[str] = []
        self._before = ""
        self._hops = 0
        self._kept: set[str] = set()

    @property
    def watches(self) -> bool:
        return self._wire is not None or self._veil is not None

    def reply(self) -> tuple[str, bytes] | None:
        """The answer to a command that the user typed, if the newest message is one."""
        cut = self._arrival.cut
        command = command_of(cut) if self._settings.agent.commands and self._offers else None
        if command is None:
            return None
        body = self.before()
        box = self._layer.statistics(self._tenant, body, self._format) if command.name == "stats" else ""
        text = respond(command, body, self._format, self._settings, box)
        return reply(self._format, text, cut.body, streaming=self._streaming)

    def before(self) -> bytes:
        """The body with what the client does not know: hidden exchanges, intents of edits, tools, and guidance."""
        cut = self._arrival.cut
        # Arguments that Gemini streams piece by piece would have to be put together here.
        pieces = self._format == "gemini" and b'"streamFunctionCallArguments"' in cut.around()
        tools, edits, hides = self._layer.offer(cut.prompt.get("tools"), self._format, pieces=pieces)
        if self._offers:
            self._edit_tools, self._hides = edits, hides
        else:
            tools = None
        thread = self._layer.threads.read(self._arrival, partial(self._layer.recall, self._tenant), hides=hides)
        self._link = thread.next
        beside = [] if tools is None else [place_beside(cut, "tools", tools)]
        if self._layer.guidance and (hides or self._settings.agent.offer != "hidden"):
            beside += place_system_text(cut, self._layer.guidance)
        self._given = rewritten(cut, [*thread.changes(), *beside])
        return self._given

    def after(self, outcome: Outcome[bytes]) -> bytes:
        """The pruned body."""
        self._edits = outcome.edits
        body = outcome.body
        self._sent = body
        if self._settings.agent.offer != "off":
            self._wire = wire_of(
                self._format, streaming=self._streaming, ids=ShownIds(body), tools=TOOLS if self._hides else ()
            )
        self._veil = self._new_veil()
        return body

    def feed(self, chunk: bytes) -> bytes:
        events = self._events.feed(chunk) if self._streaming else [Event(chunk)]
        if self._veil is not None:
            events = [shown for event in events for shown in self._veil.take(event)]
        return _bytes(events) if self._wire is None else self._wire.feed(events)

    def end(self) -> tuple[bytes, bytes | None]:
        """The hop is over: go on with a further one, or close the client's message."""
        tail = self._events.rest()
        rest: list[Event] = []
        if self._veil is not None:
            rest, tail = self._veil.finish(tail)
        wire = self._wire
        if wire is None:
            return _bytes(rest) + tail, None
        out = wire.feed(rest) + wire.finish() + tail
        hidden = wire.hidden if self._hides and wire.whole else []
        if hidden and not wire.visible and self._hops < self._settings.agent.hops:
            self._go_on(wire, hidden)
            return out, self._given
        closing = wire.close()
        if hidden and wire.visible:
            self._save(wire, [self._mixed(call) for call in hidden])
        elif self._hops and wire.whole:
            self._save(wire, [])
        return out + closing, None

    def again(self, outcome: Outcome[bytes] | None) -> bytes:
        """The body of a further call: what the agent has just discarded is gone already.

        Where it could not be pruned, it is the call before with the new hop behind it.
        """
        if outcome is None:
            self._sent = extended(self._sent, self._format, self._hop)
        else:
            self._edits, self._sent = outcome.edits, outcome.body
        self._hop = []
        return self._sent

    def fail(self, status: int, body: bytes) -> bytes:
        """A further call was refused: the client learns it in the middle of its answer."""
        return failure(self._format, status, body, streaming=self._streaming)

    def _go_on(self, wire: Wire, hidden: Sequence[HiddenCall]) -> None:
        """Put what the model said and the answers to its hidden calls behind the request."""
        self._hops += 1
        told = [(call.id, call.tool, self._executed(call)) for call in hidden]
        if self._hops == self._settings.agent.hops:
            told = [(id, tool, f"{text}\n{_LAST}") for id, tool, text in told]
        said = as_sent(wire.said(), self._format, self._sent, self._arrival.cut)
        self._hop = [*said, *results(self._format, told)]
        self._given = extended(self._given, self._format, self._hop)
        self._messages += self._hop
        self._thoughts += thoughts_of(said)
        self._before = wire.text()
        wire.again()
        self._veil = self._new_veil()

    def _executed(self, call: HiddenCall) -> str:
        return execute(
            self._given, call.arguments, self._settings, self._edits, tool=call.tool, format=self._format
        )

    def _mixed(self, call: HiddenCall) -> Mixed:
        return Mixed(call.block, call.id, call.tool, self._executed(call), call.before)

    def _save(self, wire: Wire, mixed: list[Mixed]) -> None:
        record = Record(self._format, self._messages, self._before, self._thoughts, mixed)
        if wire.visible:
            key = call_key(self._link, wire.visible[0])
        else:
            text = wire.text()
            key = text_key(self._link, text if self._format != "openai_responses" else text[len(self._before) :])
        self._layer.keep(self._tenant, key, record.dump())

    def _new_veil(self) -> Veil | None:
        if not self._edit_tools:
            return None
        return veil_of(self._format, Screen(self._edit_tools, self._withheld), streaming=self._streaming)

    def _withheld(self, site: Site, withheld: Withheld) -> None:
        """Keep an intent; some formats tell the same call several times."""
        key = purpose_key(self._link, site)
        if key not in self._kept:
            self._kept.add(key)
            self._layer.keep(self._tenant, key, withheld.dump())


def _bytes(events: Iterable[Event]) -> bytes:
    return b"".join(event.raw for event in events)
