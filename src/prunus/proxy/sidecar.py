"""Prunes for another program, which gives Prunus a body, gets the pruned body back, and sends it itself.

    POST /v1/prune            any body (`prune_call`)
    POST /v1/compress         the messages of a gateway's guardrail (`compress_call`)
    GET  /v1/retrieve/HASH    a text that was cut from such messages

Tokens, origin checks, limits and the deadline are the same as for proxied requests. A body that cannot be pruned
comes back unchanged, and `error` says why.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from prunus.errors import FormatError, OutOfReach, TooLate
from prunus.json.surrogates import encode
from prunus.outcome import Outcome
from prunus.proxy.answers import answer_with, refuse
from prunus.proxy.clock import Clock
from prunus.proxy.compress_call import compress_answer, read_compress_call, retrieved
from prunus.proxy.encoding import decoded
from prunus.proxy.exchange import Event, client_name
from prunus.proxy.faults import Faults
from prunus.proxy.given_body import GivenBack, GivenBody, Giver, prune_given
from prunus.proxy.headers import caller_of
from prunus.proxy.peer import ClientGone, Peer, Receive, Send
from prunus.proxy.preparing import Preparing
from prunus.proxy.prune_call import prune_answer, read_prune_call
from prunus.proxy.tenant import Tenant
from prunus.settings import Settings

PRUNE: Final = "/v1/prune"
COMPRESS: Final = "/v1/compress"
RETRIEVE: Final = "/v1/retrieve/"
UPSTREAM: Final = "prunus"
"""What stands for the upstream of such a request in logs and metrics: there is none."""


def is_sidecar(path: str) -> bool:
    """Whether Prunus answers a path itself, for another program."""
    return path in (PRUNE, COMPRESS) or path.startswith(RETRIEVE)


class Sidecar:
    """Answers the programs that have their bodies pruned."""

    def __init__(
        self,
        settings: Settings,
        preparing: Preparing,
        faults: Faults,
        clock: Clock,
        tell: Callable[[Tenant, Event], None],
    ) -> None:
        self._limit = settings.limits.body
        self._keeps = settings.store.originals and not settings.proxy.shadow
        self._preparing = preparing
        self._faults = faults
        self._clock = clock
        self._tell = tell

    async def answer(
        self,
        tenant: Tenant,
        scope: Mapping[str, Any],
        names: Mapping[str, str],
        path: str,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer one request to one of our paths."""
        wanted = "GET" if path.startswith(RETRIEVE) else "POST"
        if scope["method"] != wanted:
            await refuse(send, "", 405, f"{path} takes {wanted}", [(b"allow", wanted.encode())])
        elif wanted == "GET":
            await self._retrieve(tenant, path.removeprefix(RETRIEVE), send)
        else:
            caller = caller_of(scope["headers"], scope["query_string"].decode("latin-1"))
            giver = Giver(tenant, client_name(names), caller, self._clock.time())
            peer = Peer(receive)
            try:
                await self._prune(giver, names, path, peer, send)
            except ClientGone:
                pass
            except asyncio.CancelledError:
                # The peer cancels the task where the client hangs up; nobody waits for an answer then.
                task = asyncio.current_task()
                if not peer.gone or task is None:
                    raise
                task.uncancel()
            finally:
                peer.close()

    async def _prune(self, giver: Giver, names: Mapping[str, str], path: str, peer: Peer, send: Send) -> None:
        begun = time.perf_counter()
        length = names.get("content-length", "")
        too_large = length.isdigit() and int(length) > self._limit
        raw, _ = (b"", False) if too_large else await peer.read(self._limit)
        if too_large or len(raw) > self._limit:
            await refuse(send, "", 413, f"a body of more than {self._limit:,} bytes", [(b"connection", b"close")])
            return
        encoding = names.get("content-encoding", "")
        try:
            given = await asyncio.to_thread(self._read, raw, encoding, path)
        except FormatError as error:
            await refuse(send, "", 400, str(error))
            return
        back = await self._in_time(giver, given)
        answer = await asyncio.to_thread(self._shape, giver, given, back, path)
        peer.close()
        await answer_with(send, 200, [(b"content-type", b"application/json")], answer)
        self._finish(giver, path, back, time.perf_counter() - begun)

    def _read(self, raw: bytes, encoding: str, path: str) -> GivenBody:
        plain = decoded(raw, encoding, self._limit)
        return read_prune_call(plain) if path == PRUNE else read_compress_call(plain)

    async def _in_time(self, giver: Giver, given: GivenBody) -> GivenBack:
        """A body pruned at the deadline at the latest; whatever fails, the body as it was given."""
        try:
            back = await self._preparing.give_back(giver.tenant, partial(prune_given, giver, given))
        except Exception as error:  # the program needs its body, whatever fails in here
            back = GivenBack(given.body, Outcome(given.body, fault=error))
        fault = back.outcome.fault
        if fault is not None and not isinstance(fault, FormatError | TooLate | OutOfReach):
            self._faults.report("pruning", back.outcome.error or "")
        return back

    def _shape(self, giver: Giver, given: GivenBody, back: GivenBack, path: str) -> bytes:
        """The answer to the path that was called; whatever fails, one with the body as it was given."""

        def shaped(back: GivenBack) -> bytes:
            kept = giver.tenant.keeps_receipts and self._keeps
            return encode(prune_answer(back) if path == PRUNE else compress_answer(given, back, kept=kept))

        try:
            return shaped(back)
        except Exception as error:
            self._faults.report("sidecar", error)
            return shaped(GivenBack(given.body, Outcome(given.body, fault=error)))

    async def _retrieve(self, tenant: Tenant, hash: str, send: Send) -> None:
        try:
            found = await asyncio.to_thread(retrieved, tenant, hash.lower())
        except Exception as error:
            self._faults.report("store", error)
            await refuse(send, "", 503, "the store cannot be read")
            return
        if found is None:
            await refuse(send, "", 404, "no text with this hash, or none any more")
        else:
            await answer_with(send, 200, [(b"content-type", b"application/json")], encode(found))

    def _finish(self, giver: Giver, path: str, back: GivenBack, seconds: float) -> None:
        """Count and record a body, and tell what became of it."""
        exchange = back.exchange and replace(back.exchange, status=200, ms=seconds * 1000)
        what = "skipped"
        if exchange is not None:
            what = "shadow" if exchange.shadow else "pruned" if back.outcome.edits else "unchanged"
        event = Event(giver.time, giver.client, "POST", UPSTREAM, path, 200, seconds, what)
        why, report = back.outcome.error or "", back.outcome.report
        self._tell(giver.tenant, replace(event, why=why, exchange=exchange, report=report, receipts=back.receipts))
