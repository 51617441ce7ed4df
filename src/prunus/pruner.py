"""The pipeline on one screen: bytes, history, view, edits, guards, invariants, bytes."""

from __future__ import annotations

import time
from threading import Lock
from typing import Any

from prunus.conversation import Body, Conversation, Loader
from prunus.engine import Engine
from prunus.errors import FormatError
from prunus.formats import Frame, Objects, copy, encode, frame, read_objects, resume, unmarked
from prunus.outcome import Outcome, Report
from prunus.policy.prices import Price, with_ttl
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

    One pruner serves many conversations and may be called from several threads.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._strategies = self.settings.active_strategies()
        self._guards = self.settings.active_guards()
        self._toolbox = self.settings.toolbox()
        self._counter = self.settings.counter()
        self._schedule = self.settings.active_schedule()
        self._conversations: list[Conversation] = []
        self._terms: dict[str, tuple[Price, int]] = {}
        self._held = 0
        self._lock = Lock()

    def prune(self, body: Any, now: float | None = None, *, format: str | None = None) -> Outcome:
        """Prune one request. Never raises for what is in the body; see `Outcome.error`.

        `now` is the time of the request in seconds; conversations that were idle for long are forgotten.
        """
        try:
            given = _given(body)
            if isinstance(given, bytes):
                self._admit(len(given))
            with self._lock:
                return self._prune(body, given, time.time() if now is None else now, format)
        except Exception as error:  # whatever fails in here, the request has to go out as it came
            return Outcome(body, error=f"{type(error).__name__}: {error}")

    def _prune(self, body: Any, given: Any, now: float, format: str | None) -> Outcome:
        read, load, conversation, resent = self._find(given, format)
        self._admit(read.size)
        if read.closed:
            return Outcome(body, report=Report(format=read.format.name, model=read.model))
        if conversation is None:
            engine = Engine(read.format.name, self._strategies, self._guards, self._toolbox, self._counter)
            conversation = Conversation(read, engine)
        else:
            self._forget(conversation)
        tokens = self._around(conversation, read)
        timing = self._timing(conversation, read, now)
        conversation.engine.advance(len(read), load, resent, timing.cut)
        conversation.record(read, load)
        conversation.seen = now
        conversation.requests += 1
        self._remember(conversation, now)
        return self._outcome(body, conversation, tokens)

    def _admit(self, size: int) -> None:
        """Refuse a body over the limit; bytes before they are looked at, objects once their size is known."""
        if size > self.settings.limits.body:
            raise FormatError(f"a body of {size:,} bytes; the limit is {self.settings.limits.body:,}")

    def _find(self, body: Any, format: str | None) -> tuple[Body, Loader, Conversation | None, int]:
        """The body read, the conversation that it continues, and its first message with other bytes."""
        kind = Frame if isinstance(body, bytes) else Objects
        best: Conversation | None = None
        most = 0
        for candidate in reversed(self._conversations):
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
            self._forget(self._conversations[0])

    def _forget(self, conversation: Conversation) -> None:
        self._conversations.remove(conversation)
        self._held -= conversation.held

    def _timing(self, conversation: Conversation, read: Body, now: float) -> Timing:
        """What the schedule is told about the cache: the price of this model, and whether it is lost anyway."""
        prompt = read.prompt
        cold = ""
        if prompt != conversation.prompt:
            changed = conversation.requests and unmarked(prompt) != unmarked(conversation.prompt)
            cold = "model, system text or tools changed" if changed else ""
            conversation.prompt = copy(prompt)
        if read.model not in self._terms:
            if len(self._terms) >= _MODELS:
                self._terms.clear()
            self._terms[read.model] = self.settings.price_of(read.model), self.settings.window_of(read.model)
        price, window = self._terms[read.model]
        if price.long_write is not None:
            price = with_ttl(price, read.lifetime())
        return Timing(conversation, self._schedule, price, window, now, cold)

    def _outcome(self, body: Any, conversation: Conversation, tokens: int) -> Outcome:
        engine, read = conversation.engine, conversation.last
        before = tokens + engine.view.tokens
        report = Report(
            before,
            before - engine.saved,
            {name: tally for name, tally in engine.by_strategy.items() if tally.count},
            {name: tally for name, tally in engine.by_category.items() if tally.count},
            read.format.name,
            read.model,
            len(read),
        )
        pruned = body
        if engine.rendered:
            pruned = _as_given(body, read.assemble(engine.edited, engine.rendered, engine.changed))
        newest = conversation.flushes[-1] if conversation.flushes else None
        flush = newest if newest is not None and newest.request == conversation.requests else None
        edits, refusals = tuple(engine.chosen.values()), tuple(engine.refused.values())
        return Outcome(pruned, edits, refusals, report, flush=flush)

    def _around(self, conversation: Conversation, read: Body) -> int:
        """The tokens of what stands around the messages: system text, tools, options."""
        around = read.around()
        if around != conversation.around:
            text = around if isinstance(around, bytes) else encode(around)
            conversation.around = copy(around)
            conversation.around_tokens = self._counter.count(text.decode("utf-8", "replace"))
        return conversation.around_tokens


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
