"""Prunes for another program, which gives Prunus a body, gets the pruned body back, and sends it itself.

    POST /v1/prune            {"body": ..., "model": "...", "key": "...", "format": "..."}
    POST /v1/compress         the messages of a gateway's guardrail (`compress_call`)
    GET  /v1/retrieve/HASH    a text that was cut from such messages

`/v1/prune` takes a body in any format; only `body` is required. Its answer is `{"body", "error", "report"}`: in the
body, everything that Prunus does not cut is the same byte for byte. Tokens, origin checks, limits and the deadline
are the same as for proxied requests. A body that cannot be pruned comes back unchanged, and `error` says why.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import msgspec

from prunus.errors import FormatError, OutOfReach, TooLate
from prunus.json.splice import values
from prunus.json.surrogates import decode, encode
from prunus.outcome import Outcome
from prunus.proxy.answers import answer_with, refuse
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.compress_call import check_compress_call, compress_answer, retrieved
from prunus.proxy.encoding import decoded
from prunus.proxy.exchange import Event, exchange_of
from prunus.proxy.faults import Faults
from prunus.proxy.journal import Journal
from prunus.proxy.peer import Peer, Receive, Send
from prunus.proxy.preparing import Preparing
from prunus.proxy.tenant import Tenant
from prunus.report.request_report import tallies_record
from prunus.settings import Settings
from prunus.store.records import Exchange

PRUNE: Final = "/v1/prune"
COMPRESS: Final = "/v1/compress"
RETRIEVE: Final = "/v1/retrieve/"
UPSTREAM: Final = "prunus"
"""What stands for the upstream of such a request in logs and metrics: there is none."""


def is_sidecar(path: str) -> bool:
    """Whether Prunus answers a path itself, for another program."""
    return path in (PRUNE, COMPRESS) or path.startswith(RETRIEVE)


class PruneCall(msgspec.Struct, frozen=True):
    """A body that a program gives, in any format; other fields are ignored."""

    body: msgspec.Raw
    model: str | None = None
    """The model, where the body does not name it."""
    key: str | None = None
    """The program's name for the conversation."""
    format: str | None = None
    """The format of the body; recognised where it is not told."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """The body for the program to send, and the outcome of pruning it."""

    body: bytes
    outcome: Outcome[bytes]
    exchange: Exchange | None = None
    """The record of the exchange, without costs, of which nobody tells the proxy; None if the body stayed
    unchanged."""


def read_prune_call(raw: bytes) -> PruneCall:
    """What a program asks for with `/v1/prune`; raises FormatError where it gives no body."""
    try:
        call: PruneCall = decode(raw, PruneCall)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f'expected {{"body", "model", "key", "format"}}: {error}') from error
    if bytes(call.body) not in raw:  # decoding has replaced half of a surrogate pair in it
        call = msgspec.structs.replace(call, body=msgspec.Raw(values(raw)["body"]))
    return call


def prune_given(
    tenant: Tenant,
    request: ClientRequest,
    call: PruneCall,
    deadline: float | None = None,
    claim: Callable[[], bool] = lambda: True,
) -> GivenBack:
    """Prune a body, and record its cuts before it is returned, so that they can be restored.

    In shadow mode the outcome says what would have been cut, and the body is the given one.
    """
    shadow, body = tenant.shadow, bytes(call.body)
    outcome = tenant.pruner.prune(
        body,
        request.time,
        format=call.format or None,
        model=call.model or "",
        key=call.key or "",
        owner=tenant.owner(request),
        client=request.client,
        deadline=deadline,
        claim=claim,
        record=lambda outcome: tenant.record_edits(exchange_of(request, outcome, shadow=shadow), outcome),
    )
    if outcome.error is not None or not outcome.conversation:
        return GivenBack(body, outcome)
    return GivenBack(body if shadow else outcome.body, outcome, exchange_of(request, outcome, shadow=shadow))


def prune_answer(back: GivenBack) -> dict[str, Any]:
    """The answer to `/v1/prune`."""
    outcome, report, flush = back.outcome, back.outcome.report, back.outcome.flush
    told = {
        "conversation": outcome.conversation,
        "request": outcome.request,
        "format": report.format,
        "model": report.model,
        "messages": report.messages,
        "tokens_before": report.tokens_before,
        "tokens_after": report.tokens_after,
        "strategies": tallies_record(report.strategies),
        "cache_break": None
        if flush is None
        else {"message": flush.cut, "reason": flush.reason, "saved": flush.saved, "rewritten": flush.rewritten},
        "behind": outcome.behind,
    }
    return {"body": msgspec.Raw(back.body), "error": outcome.error, "report": told}


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
            call = await asyncio.to_thread(self._read, raw, request)
        except FormatError as error:
            await refuse(send, "", 400, str(error))
            return
        back = await self._in_time(tenant, request, call)
        answer = await asyncio.to_thread(self._shape, tenant, request, call, back)
        peer.close()
        await answer_with(send, 200, [(b"content-type", b"application/json")], answer)
        self._finish(tenant, request, back, time.perf_counter() - begun)

    def _read(self, raw: bytes, request: ClientRequest) -> PruneCall:
        plain = decoded(raw, request.encoding, self._limit)
        if request.path == PRUNE:
            return read_prune_call(plain)
        check_compress_call(plain)  # it has itself the form of a request
        return PruneCall(msgspec.Raw(plain))

    async def _in_time(self, tenant: Tenant, request: ClientRequest, call: PruneCall) -> GivenBack:
        """A body pruned at the deadline at the latest; whatever fails, the body as it was given."""
        try:
            back = await self._preparing.in_time(tenant, partial(prune_given, tenant, request, call))
        except Exception as error:  # the program needs its body, whatever fails in here
            back = _unchanged(call, error)
        fault = back.outcome.fault
        if fault is not None and not isinstance(fault, FormatError | TooLate | OutOfReach):
            self._faults.report("pruning", back.outcome.error or "")
        return back

    def _shape(self, tenant: Tenant, request: ClientRequest, call: PruneCall, back: GivenBack) -> bytes:
        """The answer to the path that was called; whatever fails, one with the body as it was given."""

        def shaped(back: GivenBack) -> bytes:
            if request.path == PRUNE:
                return encode(prune_answer(back))
            kept = self._keeps and tenant.store.keeps_receipts
            return encode(compress_answer(bytes(call.body), back.body, back.outcome, kept=kept))

        try:
            return shaped(back)
        except Exception as error:
            self._faults.report("sidecar", error)
            return shaped(_unchanged(call, error))

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


def _unchanged(call: PruneCall, fault: Exception) -> GivenBack:
    """The body as it was given, because of a fault."""
    body = bytes(call.body)
    return GivenBack(body, Outcome(body, fault=fault))
