"""The pipeline on one screen: bytes, history, view, edits, guards, invariants, bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from threading import Lock
from typing import Any

from prunus.conversation import Body, Conversation, Loader
from prunus.edits import Edit
from prunus.engine import Engine
from prunus.errors import FormatError
from prunus.formats import Frame, Objects, copy, encode, frame, read_objects, resume, unmarked
from prunus.ids import short_id
from prunus.memory import Memo, Memory, Past, chain
from prunus.outcome import Outcome, Receipt, Report
from prunus.policy.account import Account
from prunus.policy.prices import Price, with_ttl
from prunus.policy.schedule import Schedule
from prunus.settings import Settings
from prunus.timing import Timing

__all__ = ["Pruner", "prune"]

_MODELS = 256
"""Models whose prices are kept at hand."""


def prune(
    body: Any, settings: Settings | None = None, now: float | None = None, *, format: str | None = None
) -> Outcome:
    """Prune one request: a dict, a list of messages, or JSON as text or bytes.

    The body comes back in the type it was given in; the given object is never changed. A body that cannot be
    pruned comes back as it is, with `error` saying why.
    """
    return Pruner(settings).prune(body, now, format=format)


class Pruner:
    """Prunes request after request, and remembers conversations so that each costs only what is new in it.

    One pruner serves many conversations and may be called from several threads. With a memory, conversations
    outlive the process, and several processes can share them.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        memory: Memory | None = None,
        asks: Callable[[str], Iterable[str]] | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        """`asks` gives the commands for a conversation that came from outside, such as `sweep 5`, by its name.

        A `schedule` of one's own takes the place of the one that the settings name.
        """
        self.settings = settings or Settings()
        self._memory = memory
        self._past = Past(memory)
        self._asks = asks
        self._strategies = self.settings.active_strategies()
        self._guards = self.settings.active_guards()
        self._toolbox = self.settings.toolbox()
        self._counter = self.settings.counter()
        self._schedule = schedule or self.settings.active_schedule()
        self._pressure = self.settings.active_pressure()
        self._conversations: list[Conversation] = []
        self._terms: dict[str, tuple[Price, int]] = {}
        self._held = 0
        self._lock = Lock()

    def prune(
        self, body: Any, now: float | None = None, *, format: str | None = None, model: str = "", key: str = ""
    ) -> Outcome:
        """Prune one request. Never raises for what is in the body; see `Outcome.error`.

        `now` is the time of the request in seconds; conversations that were idle for long are forgotten. `model`
        names the model where the body does not. A `key` that the client gives all requests of one conversation
        makes it quicker to find; it is found without one as well.
        """
        try:
            given = _given(body)
            if isinstance(given, bytes):
                self._admit(len(given))
            with self._lock:
                return self._prune(body, given, time.time() if now is None else now, format, model, key)
        except Exception as error:  # whatever fails in here, the request has to go out as it came
            return Outcome(body, error=f"{type(error).__name__}: {error}")

    def _prune(self, body: Any, given: Any, now: float, format: str | None, model: str, key: str) -> Outcome:
        read, load, conversation, resent = self._find(given, format, key)
        model = read.model or model
        self._admit(read.size)
        if read.closed:
            return Outcome(body, report=Report(format=read.format.name, model=model))
        adopted: Iterable[Edit] = ()
        earlier: tuple[float, int] | None = None
        links = self._links(conversation, read, load)
        recalled = self._memory.recall(links) if self._memory is not None and links else None
        known = 0 if conversation is None else len(conversation.digests)
        if recalled is not None and (conversation is None or known + recalled[1] + 1 == recalled[0].depth):
            memo, at = recalled
            known += at + 1
            if conversation is not None:
                self._forget(conversation)
            resent = 0
            conversation = self._restored(read, load, memo, known)
            adopted = [edit for edit in memo.ledger.edits if edit.last < known]
            earlier = (memo.seen, memo.requests) if known == memo.depth else None
        elif conversation is None:
            conversation, adopted = self._begun(read, load)
        else:
            self._forget(conversation)
            earlier = conversation.seen, conversation.requests
        tokens = self._around(conversation, read)
        timing = self._timing(conversation, read, now, model, earlier)
        conversation.engine.room = tokens, self._terms[model][1]
        asks = tuple(self._asks(conversation.id)) if self._asks is not None else ()
        conversation.engine.advance(len(read), load, resent, timing.cut, adopted, asks)
        timing.settle()
        conversation.record(read, load)
        conversation.seen = now
        conversation.key = key
        conversation.requests += 1
        self._remember(conversation, now)
        if self._memory is not None and links:
            conversation.link = links[-1]
            self._memory.keep(_memo(conversation), links)
        return self._outcome(body, conversation, tokens, load, model)

    def _links(self, conversation: Conversation | None, read: Body, load: Loader) -> list[bytes]:
        """The chained hashes of the messages that are new to this process."""
        if self._memory is None:
            return []
        known = 0 if conversation is None else len(conversation.digests)
        before = read.format.name.encode() if conversation is None else conversation.link
        return chain((load.digest(i) for i in range(known, len(read))), before)

    def _restored(self, read: Body, load: Loader, memo: Memo, known: int) -> Conversation:
        """A conversation as another process left it, or as far as this one still follows it."""
        whole = known == memo.depth
        conversation = self._new(read, load, memo.id if whole else "", known)
        conversation.seen = memo.seen
        conversation.requests = memo.requests if whole else min(memo.requests, known // 2)
        conversation.flushes = memo.ledger.flushes if whole else ()
        conversation.account = memo.account if whole else Account()
        conversation.prompt_digest = memo.prompt
        return conversation

    def _begun(self, read: Body, load: Loader) -> tuple[Conversation, Iterable[Edit]]:
        """A new conversation; one that left another half way takes over the edits up to there."""
        best: Conversation | None = None
        most = 0
        for candidate in reversed(self._conversations):
            if candidate.last.format is read.format:
                shared = candidate.shared(load, len(read))
                if shared > most:
                    best, most = candidate, shared
        conversation = self._new(read, load, "", most)
        if best is None:
            return conversation, ()
        conversation.seen, conversation.requests = best.seen, best.engine.view.turns[most - 1]
        conversation.prompt_digest = best.prompt_digest
        return conversation, [edit for edit in best.engine.chosen.values() if edit.last < most]

    def _new(self, read: Body, load: Loader, id: str, known: int) -> Conversation:
        """A conversation whose first messages were sent before by another one."""
        engine = Engine(
            read.format.name,
            self._strategies,
            self._guards,
            self._toolbox,
            self._counter,
            tags=_offers(self.settings, read),
            own_ids=self.settings.agent.own_ids,
            reminders=self.settings.active_reminders(),
        )
        digests = [load.digest(i) for i in range(known)]
        if not id:
            every = b"".join(load.digest(i) for i in range(len(read)))
            id = blake2b(read.format.name.encode() + every, digest_size=8).hexdigest()
        return Conversation(read, engine, id, digests=digests)

    def _admit(self, size: int) -> None:
        """Refuse a body over the limit; bytes before they are looked at, objects once their size is known."""
        if size > self.settings.limits.body:
            raise FormatError(f"a body of {size:,} bytes; the limit is {self.settings.limits.body:,}")

    def _find(self, body: Any, format: str | None, key: str) -> tuple[Body, Loader, Conversation | None, int]:
        """The body read, the conversation that it continues, and its first message with other bytes."""
        kind = Frame if isinstance(body, bytes) else Objects
        best: Conversation | None = None
        most = 0
        for candidate in self._candidates(key):
            if isinstance(candidate.last, kind) and format in (None, candidate.last.format.name):
                shared = candidate.last.shared(body)
                if shared > most:
                    best, most = candidate, shared
                if shared and shared >= len(candidate.digests):
                    break
        read = _read(body, best.last if best is not None else None, most, format)
        load = Loader(read)
        if best is not None and best.continued_by(read, load, most):
            return read, load, best, most
        for candidate in reversed(self._conversations):
            same = candidate.last.format is read.format
            if same and candidate.digests and candidate.continued_by(read, load, 0):
                return read, load, candidate, 0
        return read, load, None, 0

    def _candidates(self, key: str) -> Iterator[Conversation]:
        """The conversations that a body may continue, the likeliest first."""
        newest = self._conversations[::-1]
        yield from (one for one in newest if key and one.key == key)
        yield from (one for one in newest if not key or one.key != key)

    def _remember(self, conversation: Conversation, now: float) -> None:
        """Keep the conversation, and forget the oldest where they are too many, too large or too old."""
        limits = self.settings.limits
        conversation.held = conversation.size
        self._held += conversation.held
        self._conversations.append(conversation)
        while self._conversations and (
            len(self._conversations) > limits.conversations
            or self._held > limits.memory
            or now - self._conversations[0].seen > limits.idle
        ):
            self._past.forget(self._conversations[0].requests)
            self._forget(self._conversations[0])

    def _forget(self, conversation: Conversation) -> None:
        self._conversations.remove(conversation)
        self._held -= conversation.held

    def _timing(
        self, conversation: Conversation, read: Body, now: float, model: str, earlier: tuple[float, int] | None
    ) -> Timing:
        """What the schedule is told about the cache: the price of this model, and whether it is lost anyway.

        `earlier` are the time of the request before in this conversation, and how many there were.
        """
        prompt = read.prompt
        cold = ""
        if prompt != conversation.prompt:
            plain = blake2b(encode(unmarked(prompt)), digest_size=16).digest()
            changed = conversation.requests and plain != conversation.prompt_digest
            cold = "model, system text or tools changed" if changed else ""
            conversation.prompt, conversation.prompt_digest = copy(prompt), plain
        if model not in self._terms:
            if len(self._terms) >= _MODELS:
                self._terms.clear()
            self._terms[model] = self.settings.price_of(model), self.settings.window_of(model)
        price, window = self._terms[model]
        if price.long_write is not None:
            price = with_ttl(price, read.lifetime())
        past = self._past.requests(now, ((one.seen, one.requests) for one in self._conversations), earlier)
        return Timing(conversation, self._schedule, self._pressure, price, window, now, cold, past)

    def _outcome(self, body: Any, conversation: Conversation, tokens: int, load: Loader, model: str) -> Outcome:
        engine, read = conversation.engine, conversation.last
        before = tokens + engine.view.tokens
        report = Report(
            before,
            before - engine.saved + engine.tags.tokens,
            {name: tally for name, tally in engine.by_strategy.items() if tally.count},
            {name: tally for name, tally in engine.by_category.items() if tally.count},
            read.format.name,
            model,
            len(read),
        )
        pruned = body
        if engine.rendered:
            pruned = _as_given(body, read.assemble(engine.edited, engine.rendered, engine.changed))
        newest = conversation.flushes[-1] if conversation.flushes else None
        flush = newest if newest is not None and newest.request == conversation.requests else None
        edits, refusals = engine.edits(), tuple(engine.refused.values())
        return Outcome(
            pruned,
            edits,
            refusals,
            report,
            flush=flush,
            conversation=conversation.id,
            request=conversation.requests,
            made=tuple(engine.made),
            receipt=lambda edit: _receipt(edit, engine, load),
        )

    def _around(self, conversation: Conversation, read: Body) -> int:
        """The tokens of what stands around the messages: system text, tools, options."""
        around = read.around()
        if around != conversation.around:
            text = around if isinstance(around, bytes) else encode(around)
            conversation.around = copy(around)
            conversation.around_tokens = self._counter.count(text.decode("utf-8", "replace"))
        return conversation.around_tokens


def _offers(settings: Settings, read: Body) -> bool:
    """Whether the model of a request can ask for parts by their ids.

    A tool that is offered by MCP may come later; one that the proxy adds is there from the first request on.
    """
    offer = settings.agent.offer
    if offer != "hidden":
        return offer == "mcp"
    tools = read.prompt.get("tools", b"")
    return b"context_prune" in (tools if isinstance(tools, bytes) else encode(tools))


def _memo(conversation: Conversation) -> Memo:
    return Memo(
        conversation.id,
        conversation.ledger,
        len(conversation.digests),
        conversation.requests,
        conversation.seen,
        conversation.prompt_digest,
        conversation.account,
    )


def _receipt(edit: Edit, engine: Engine, load: Loader) -> Receipt:
    """An edit with what it took away."""
    part = load(edit.target.message).parts[edit.target.part]
    use = engine.view.by_ref.get(edit.target)
    content = getattr(part, "text", "")
    id = short_id(edit.target, content.encode("utf-8", "surrogatepass"))
    if use is not None and edit.target == use.result:
        id = engine.names.get(edit.target, id)
    return Receipt(id, edit, content, use.tool if use is not None else "", engine.view.turn_of(edit.target))


def _given(body: Any) -> Any:
    """The body as bytes or as parsed objects."""
    match body:
        case bytes() | dict() | list():
            return body
        case bytearray() | memoryview():
            return bytes(body)
        case str():
            try:
                return body.encode()
            except UnicodeEncodeError as error:
                raise FormatError(f"text that is not valid Unicode: {error.reason}") from error
    raise FormatError(f"a body of type {type(body).__name__}; expected dict, list, str or bytes")


def _read(body: Any, known: Body | None, shared: int, format: str | None) -> Body:
    if not isinstance(body, bytes):
        return read_objects(body, known if isinstance(known, Objects) else None, shared, format)
    rest = resume(known, body, shared) if isinstance(known, Frame) else None
    return frame(body, format) if rest is None else rest


def _as_given(body: Any, pruned: Any) -> Any:
    match body:
        case str():
            return pruned.decode()
        case bytearray():
            return bytearray(pruned)
        case memoryview():
            return memoryview(pruned)
    return pruned
