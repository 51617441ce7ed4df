"""Where the agent layer takes part in an exchange.

The proxy asks the layer once for each request of a model that may be pruned. The layer's interceptor sees the
request before and after it is pruned, and the bytes of the answer; it does no I/O itself. The order of calls:

    turn = hooks.open(body, format, streaming=..., tenant=..., caller=..., offers=...)
                                  None: nothing to do for this request
    turn.reply()                  an answer of the layer's own; nothing goes upstream then
    body = turn.before()          the body to prune: earlier hidden exchanges put back
    outcome = pruner.prune(body)
    body = turn.after(outcome)    the body to send: tools, tags and reminders added
    if turn.watches:              only then the answer is looked at; it comes without content encoding
        out = turn.feed(chunk)    for each chunk of a 2xx answer: bytes for the client, possibly none
        out, again = turn.end()   the answer is complete: the rest for the client, and the body of a further call
        outcome = pruner.prune(again)   so that what the agent has just discarded is cut in it
        body = turn.again(outcome)      the body of that call
        out = turn.fail(status, body)   a further call did not get a 2xx answer: how the client's stream ends

An exception in any of these leaves the request, or the rest of the answer, as it came, and counts as a fault.
Answers that are watched go out chunked, without their content-length.
"""

from __future__ import annotations

from typing import Protocol

from prunus.outcome import Outcome
from prunus.proxy.faults import Faults


class Interceptor(Protocol):
    """One request of an agent, from its arrival to the end of its answer."""

    @property
    def watches(self) -> bool:
        """Whether the answer passes through `feed`; asked after `after`."""

    def reply(self) -> tuple[str, bytes] | None:
        """Content type and body of an answer that the layer gives itself, if it does."""

    def before(self) -> bytes:
        """The body that is pruned."""

    def after(self, outcome: Outcome[bytes]) -> bytes:
        """The body that is sent, made from `outcome.body`."""

    def feed(self, chunk: bytes) -> bytes:
        """Return the bytes for the client that follow from a chunk of the answer."""

    def end(self) -> tuple[bytes, bytes | None]:
        """What the client gets at the end of the answer, and the body of a further call, which is to be pruned."""

    def again(self, outcome: Outcome[bytes] | None) -> bytes:
        """The body of the further call that is sent; without an outcome nothing new is cut in it."""

    def fail(self, status: int, body: bytes) -> bytes:
        """Return the bytes that the client gets instead of the answer to a further call."""


class AgentHooks(Protocol):
    """The agent layer, for all requests."""

    def open(
        self, body: bytes, format: str, *, streaming: bool, tenant: str, caller: str, offers: bool = True
    ) -> Interceptor | None:
        """Begin an exchange; `body` is JSON without content encoding, `format` the name of a provider.

        `caller` tells those apart who use the proxy as one tenant, each with credentials of their own. Unless it
        `offers` tools, a request only gets back what the client does not know of earlier turns.
        """


class GuardedAnswer:
    """An answer as an interceptor passes it on; after a fault the rest passes as it comes.

    Whatever an interceptor raises is a fault of Prunus, and must not cost the client its answer.
    """

    def __init__(self, interceptor: Interceptor, faults: Faults) -> None:
        self._interceptor = interceptor
        self._faults = faults
        self._failed = False

    def feed(self, chunk: bytes) -> bytes:
        if not self._failed:
            try:
                return self._interceptor.feed(chunk)
            except Exception as error:
                self._report(error)
        return chunk

    def end(self) -> tuple[bytes, bytes | None]:
        if not self._failed:
            try:
                return self._interceptor.end()
            except Exception as error:
                self._report(error)
        return b"", None

    def fail(self, status: int, body: bytes) -> bytes:
        try:
            return self._interceptor.fail(status, body)
        except Exception as error:
            self._report(error)
            return b""

    def _report(self, error: Exception) -> None:
        self._failed = True
        self._faults.report("agent", error)
