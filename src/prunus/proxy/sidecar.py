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
from dataclasses import replace
from functools import partial
from typing import Final

from prunus.errors import FormatError, OutOfReach, TooLate
from prunus.json.surrogates import encode
from prunus.outcome import Outcome
from prunus.proxy.answers import answer_with, refuse
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.compress_call import compress_answer, read_compress_call, retrieved
from prunus.proxy.encoding import decoded
from prunus.proxy.exchange import Event
from prunus.proxy.faults import Faults
from prunus.proxy.given_body import GivenBack, GivenBody, prune_given
from prunus.proxy.journal import Journal
from prunus.proxy.peer import Peer, Receive, Send
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

    def __init__(self, settings: Settings, preparing: Preparing, faults: Faults, journal: Journal) -> None:
        self._limit = settings.limits.body
        self._keeps = settings.store.originals and not settings.proxy.shadow
        self._preparing = preparing
        self._faults = faults
        self._journal = journal

    async def answer(self, tenant: Tenant, request: ClientRequest, receive: Receive, send: Send) -> None:
        """Answer one request to one of our paths."""
        path = request.path
        wanted = "GET" if path.startswith(RETRIEVE) else "POST"
        if request.method != wanted:
            await refuse(send, "", 405, f"{path} takes {wanted}", [(b"allow", wanted.encode())])
        elif wanted == "GET":
            await self._retrieve(tenant, path.removeprefix(RETRIEVE), send)
        else:
            with Peer(receive) as peer:
                await self._prune(tenant, request, peer, send)

    async def _prune(self, tenant: Tenant, request: ClientRequest, peer: Peer, send: Send) -> None:
        begun = time.perf_counter()
        raw = await peer.read(self._limit, request.length)
        if raw is None:
            await refuse(send, "", 413, f"a body of more than {self._limit:,} bytes", [(b"connection", b"close")])
            return
        try:
            given = await asyncio.to_thread(self._read, raw, request)
        except FormatError as error:
            await refuse(send, "", 400, str(error))
            return
        back = await self._in_time(tenant, request, given)
        answer = await asyncio.to_thread(self._shape, tenant, request, given, back)
        peer.close()
        await answer_with(send, 200, [(b"content-type", b"application/json")], answer)
        self._finish(tenant, request, back, time.perf_counter() - begun)

    def _read(self, raw: bytes, request: ClientRequest) -> GivenBody:
        plain = decoded(raw, request.encoding, self._limit)
        return read_prune_call(plain) if request.path == PRUNE else read_compress_call(plain)

    async def _in_time(self, tenant: Tenant, request: ClientRequest, given: GivenBody) -> GivenBack:
        """A body pruned at the deadline at the latest; whatever fails, the body as it was given."""
        try:
            back = await self._preparing.give_back(tenant, partial(prune_given, tenant, request, given))
        except Exception as error:  # the program needs its body, whatever fails in here
            back = GivenBack(given.body, Outcome(given.body, fault=error))
        fault = back.outcome.fault
        if fault is not None and not isinstance(fault, FormatError | TooLate | OutOfReach):
            self._faults.report("pruning", back.outcome.error or "")
        return back

    def _shape(self, tenant: Tenant, request: ClientRequest, given: GivenBody, back: GivenBack) -> bytes:
        """The answer to the path that was called; whatever fails, one with the body as it was given."""

        def shaped(back: GivenBack) -> bytes:
            if request.path == PRUNE:
                return encode(prune_answer(back))
            return encode(compress_answer(given, back, kept=self._keeps and tenant.store.keeps_receipts))

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

    def _finish(self, tenant: Tenant, request: ClientRequest, back: GivenBack, seconds: float) -> None:
        """Count and record a body, and tell what became of it."""
        event = Event(
            request.time,
            request.client,
            request.method,
            UPSTREAM,
            request.path,
            200,
            seconds,
            "skipped",
            why=back.outcome.error or "",
            report=back.outcome.report,
        )
        if back.exchange is not None:
            event = replace(
                event,
                what="shadow" if back.exchange.shadow else "pruned" if back.outcome.edits else "unchanged",
                exchange=replace(back.exchange, status=200, ms=seconds * 1000),
                receipts=(*back.outcome.receipts, *back.outcome.passed),
            )
        self._journal.tell(tenant.name, event)
