"""Where the agent layer takes part in an exchange.

The proxy asks the layer once for each request of a model that may be pruned. The layer's turn (`HiddenTurn`) sees
the request before and after it is pruned, and the bytes of the answer. The order of calls:

    turn = layer.open(body, format, streaming=..., tenant=..., caller=..., offers=...)
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

from prunus.agent.layer import HiddenTurn
from prunus.proxy.faults import Faults


class GuardedAnswer:
    """An answer as the agent layer passes it on; after a fault the rest passes as it comes.

    Whatever the layer raises is a fault of Prunus, and must not cost the client its answer.
    """

    def __init__(self, turn: HiddenTurn, faults: Faults) -> None:
        self._turn = turn
        self._faults = faults
        self._failed = False

    def feed(self, chunk: bytes) -> bytes:
        if not self._failed:
            try:
                return self._turn.feed(chunk)
            except Exception as error:
                self._report(error)
        return chunk

    def end(self) -> tuple[bytes, bytes | None]:
        if not self._failed:
            try:
                return self._turn.end()
            except Exception as error:
                self._report(error)
        return b"", None

    def fail(self, status: int, body: bytes) -> bytes:
        try:
            return self._turn.fail(status, body)
        except Exception as error:
            self._report(error)
            return b""

    def _report(self, error: Exception) -> None:
        self._failed = True
        self._faults.report("agent", error)
