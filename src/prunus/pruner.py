"""Prunes a request: finds its conversation, runs the engine, and records the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial
from time import monotonic
from typing import Any, Final, TypeVar

from prunus.conversations.assembly import Assembly
from prunus.conversations.behind import WritingBehind
from prunus.conversations.cache_terms import cache_terms, wanted_lifetime
from prunus.conversations.context import Context, context_of
from prunus.conversations.conversation import Conversation, Loader
from prunus.conversations.held import Conversations, Glance, Request
from prunus.conversations.keeping import BeforeSending, Keeping, Stale, memo_after
from prunus.conversations.lineage import Base, find_base, find_known
from prunus.conversations.memory import Memory
from prunus.conversations.reporting import outcome_of, pruned_body
from prunus.conversations.timing import Timing
from prunus.conversations.warmth import Warmth
from prunus.errors import FormatError, MayBeKept, NotKept, OutOfReach, Overtaken, TooLate
from prunus.files.state import KnownFile
from prunus.outcome import Outcome, Report, admit, as_read
from prunus.reuse.asked_again import AskedAgain
from prunus.schedule.plan import Schedule
from prunus.settings import Settings

T = TypeVar("T")

_TURN: Final = 0.05
"""Seconds for which catching up may lock a conversation."""
_MANY: Final = 400
"""Messages that a request with a deadline looks at again at most, if its ledger is enough to write it."""
_TRIES: Final = 3
"""How often a request is pruned at most while other processes save newer states of its conversation."""


def prune(
    body: T, settings: Settings | None = None, now: float | None = None, *, format: str | None = None
) -> Outcome[T]:
    """Prune one request: a dict, a list of messages, or JSON as text or bytes.

    The pruned body has the type of the given one, and the given object is never changed. A body that cannot be
    pruned comes back unchanged, and `error` says why.
    """
    return Pruner(settings).prune(body, now, format=format)


class Pruner:
    """Prunes request after request, and remembers conversations, so that only new messages cost work.

    One pruner serves many conversations and may be called from several threads; conversations do not wait for each
    other. With a memory, conversations outlive the process, and several processes can share them.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        memory: Memory | None = None,
        asks: Callable[[str], Iterable[str]] | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        """`asks` returns the commands for a conversation that came from outside, such as `sweep 5`, by its id.

        `schedule` replaces the schedule that the settings name.
        """
        self.settings = settings or Settings()
        self._memory = memory
        self._asks, self._assembly = asks, Assembly(self.settings)
        self._schedule = schedule or self.settings.active_schedule()
        self._pressure = self.settings.active_pressure()
        self._conversations = Conversations(self.settings.limits)
        self._keeping = Keeping(self._conversations, memory)
        self._behind = WritingBehind(self._keeping, self._conversations, self._assembly)
        self.warmth = Warmth(self._conversations, memory, self.settings.cache)
        self._commands: dict[str, tuple[str, ...]] = {}
        """Commands of requests that could not be recorded."""

    def prune(
        self,
        body: T,
        now: float | None = None,
        *,
        format: str | None = None,
        model: str = "",
        key: str = "",
        owner: str = "",
        client: str = "",
        deadline: float | None = None,
        claim: Callable[[], bool] = lambda: True,
        record: Callable[[Outcome[Any]], None] = lambda _: None,
        hold: bool = False,
        subagent: bool = False,
        marks: bool = False,
        at_once: bool = False,
        glance: Glance | None = None,
    ) -> Outcome[T]:
        """Prune one request. Never raises because of the body; see `Outcome.error`.

        `now` is the time of the request in seconds; conversations that were idle for long are forgotten. `model`
        names the model if the body does not. A `key`, the same for all requests of one conversation, is accepted
        and makes no difference, because Prunus finds the conversation by its messages. Conversations of different
        `owner`s are kept apart. `client` names the agent; later conversations of the same agent learn from this
        one.

        After `deadline` seconds Prunus stops looking and writes the request with the edits in force; see
        `Outcome.behind` and `catch_up`. Before anything is recorded, `claim` is called: if it returns False, the
        request was sent otherwise in the meantime, and nothing is recorded. `record` gets the outcome, without its
        body, and saves what the caller wants to save together with the conversation. It is called again if the
        request has to be pruned again.

        With `hold`, nothing new is cut and nothing is recorded: the request is written with the edits in force in
        the conversation that it continues. `subagent` says that a sub-agent sends the request; with `subagents =
        "skip"` the request then stays unchanged. With `marks`, the caller gives the cache marks of the request the
        lifetime in `Outcome.lifetime`.

        With `at_once`, the request is pruned only if it adds a few messages to a conversation at hand, or is short
        as a whole. Otherwise the fault of the outcome is TooLate, and nothing is recorded. `glance` is what the
        method of that name returned for the same body, format and owner.
        """
        until = None if deadline is None else monotonic() + deadline
        try:
            given = as_read(body)
            if isinstance(given, bytes):
                admit(len(given), self.settings.limits.body)
            now = time.time() if now is None else now
            life = wanted_lifetime(self.settings.cache.lifetime, marks=marks, subagent=subagent)
            seen = glance or self._conversations.glance(given, format, owner)
            read, model = seen.read, seen.read.model or model
            admit(read.size, self.settings.limits.body)
            if read.closed or (subagent and self.settings.subagents == "skip"):
                return Outcome(body, report=Report(format=read.format.name, model=model))
            request = Request(body, read, Loader(read), now, model, owner, client, seen.equal, life)
            sending = BeforeSending(cache(claim), record, at_once)
            return self._hold(request) if hold else self._prune(request, until, sending)
        except Exception as error:  # whatever fails in here, the request has to go out as it came
            return Outcome(body, fault=error)

    def glance(self, body: bytes, format: str, owner: str) -> Glance | None:
        """Cut a body into its messages, for a caller that reads what stands around them; None if that fails."""
        try:
            return self._conversations.glance(body, format, owner)
        except FormatError:
            return None

    def catch_up(self, conversation: str) -> bool:
        """Look for a moment at messages that a deadline left out; False if more messages are left."""
        held = self._conversations.named(conversation)
        if held is None:
            return True
        with held.lock:
            commands, until = held.memo.ledger.commands, monotonic() + _TURN
            try:
                return held.engine.look(len(held.last), Loader(held.last), commands, until)
            except Exception:  # the next request of this conversation will say what is wrong
                self._conversations.forget(held)
                return True

    def context(self, conversation: str) -> Context | None:
        """Return what fills the newest request of a conversation, or None.

        It is None if the conversation is not held, or if some messages have not been looked at.
        """
        return self._conversations.inspect(conversation, lambda held: context_of(held.engine, held.around_tokens))

    def files(self, conversation: str) -> tuple[KnownFile, ...] | None:
        """Return the files that a conversation knows; None if it is not held, or no strategy follows files."""
        return self._conversations.inspect(
            conversation,
            lambda held: None if (found := held.engine.dispatch.timeline) is None else found.known_files(),
        )

    def _hold(self, request: Request) -> Outcome[Any]:
        """Write a request with the edits in force, and record nothing."""
        return self._behind.hold(request, find_known(request, self._conversations, self._memory))

    def _prune(self, request: Request, until: float | None, sending: BeforeSending) -> Outcome[Any]:
        """Prune a request, and retry if another process has saved a newer state of its conversation."""
        unsure = False
        for _ in range(_TRIES):
            try:
                return self._try(request, until, sending)
            except Overtaken:
                continue
            except MayBeKept:
                # If the memory answers again, the next attempt finds what it has saved.
                unsure = True
            except OutOfReach:
                if unsure:
                    raise
                return self._behind.alone(request, sending)
        return self._hold(request)

    def _try(self, request: Request, until: float | None, sending: BeforeSending) -> Outcome[Any]:
        while True:
            base = self._find(request, trust=True)
            held = base.conversation
            if sending.at_once and not base.needs_short_look(request):
                raise TooLate("the request takes a longer look")
            conversation = held or base.begin(request, self._assembly.engine(request.read, base.memo.learned))
            looked = conversation.lock.acquire(timeout=-1.0 if until is None else max(0.0, until - monotonic()))
            asked = self._take_commands(base)
            done = False
            try:
                if looked and held is not None and not (held in self._conversations and base.is_current):
                    continue
                write = partial(self._advance, until=until) if looked else self._behind.write
                try:
                    outcome = write(request, base, conversation, base.commands_with(asked, request), sending)
                except Overtaken:
                    if not base.follows:
                        raise
                    # The memory was not asked before. The lock is still held, so the engine can go on.
                    base = self._find(request)
                    if base.conversation is not conversation or base.memo is not conversation.memo:
                        raise
                    asked = self._take_commands(base)
                    outcome = write(request, base, conversation, base.commands_with(asked, request), sending)
                done = True
                outcome.continues = base.continuation(request, conversation)
                return outcome
            except Exception as error:
                # After a request that was given up, the engine may know messages that the next one does not have.
                given_up = isinstance(error, Stale | TooLate)
                if not given_up or (looked and conversation.went_astray(request.load)):
                    self._conversations.forget(conversation)
                if not isinstance(error, Stale):
                    raise
            finally:
                if asked and not done:
                    self._commands[base.memo.id] = asked
                if looked:
                    conversation.lock.release()

    def _find(self, request: Request, *, trust: bool = False) -> Base:
        allowed = self.settings.allowed_asks()
        return find_base(request, self._conversations, self._memory, allowed, trust=trust)

    def _advance(
        self,
        request: Request,
        base: Base,
        conversation: Conversation,
        commands: tuple[tuple[int, str], ...],
        sending: BeforeSending,
        *,
        until: float | None,
    ) -> Outcome[Any]:
        """Prune the next request of a conversation."""
        read, load, engine = request.read, request.load, conversation.engine
        memo = self.warmth.begun(base.memo, request)
        unseen = memo.depth - len(engine.view.turns) if memo.requests else 0
        hopeless = until is not None and unseen > _MANY
        if hopeless or not engine.look(len(request), load, commands, until):
            return self._behind.write(request, base, conversation, commands, sending)
        if conversation.in_force is not memo.ledger:
            engine.take_over(memo.ledger.edits, load)
        conversation.in_force = None
        asked_again = AskedAgain(engine.asks(memo.depth))
        tokens = conversation.count_around(read, self._assembly.counter)
        price, window = self._assembly.terms(request.model, request.client)
        cold = conversation.lost_cache(memo, read)
        terms = cache_terms(request, memo, price, tokens + engine.tokens, cold)
        cached = request.now, cold, terms.ttl, base.sent
        timing = Timing(engine, memo, tokens, self._schedule, self._pressure, terms.price, window, *cached)
        with engine.at(load):
            engine.settle()
            engine.make(timing.cut(), tokens, window)
            engine.rendering.renew(request.equal.get(conversation, 0))
        ledger = engine.ledger(memo.ledger, timing.flushes, commands)
        life = terms.settled(timing.following(answered=terms.answered))
        memo = replace(memo, ledger=ledger, account=timing.settled(), life=life)
        memo = memo_after(memo, request, conversation)
        outcome = outcome_of(request, engine, memo, tokens, timing.flush, asked_again)
        written = {} if self._memory is None else engine.rendering.changes(read.raw)
        try:
            self._keeping.keep(conversation, request, base, memo, outcome, written, sending)
        except NotKept:
            # Other processes continue from the previous state, so nothing new may be cut.
            return self._behind.write(request, base, conversation, commands, sending, alone=True)
        conversation.in_force = ledger
        outcome.body = pruned_body(request, engine)
        return outcome

    def _take_commands(self, base: Base) -> tuple[str, ...]:
        """Return the commands that the user gave outside of the conversation since its last request."""
        id = base.memo.id
        new = tuple(self._asks(id)) if self._asks is not None and base.commands else ()
        return (*self._commands.pop(id, ()), *new)
