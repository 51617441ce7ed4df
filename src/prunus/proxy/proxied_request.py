"""One proxied request, from its first byte to the last byte of its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from prunus.providers import api_named
from prunus.proxy.answers import answer_with, refuse
from prunus.proxy.clock import Clock
from prunus.proxy.encoding import can_decode, decoder_of
from prunus.proxy.exchange import Arrived, Event, Prepared, SentBy, client_name
from prunus.proxy.faults import LOGGER, Faults
from prunus.proxy.headers import Headers, answer_headers, caller_of, request_headers, value_of
from prunus.proxy.hooks import GuardedAnswer, Interceptor
from prunus.proxy.metrics import Metrics
from prunus.proxy.peer import ClientGone, Peer, Receive, Send, after
from prunus.proxy.route import Route
from prunus.proxy.routing import conversation_key
from prunus.proxy.tenant import Tenant
from prunus.proxy.upstream import Answer, NoAnswer, Upstream, decode_chunk
from prunus.proxy.usage_reader import UsageReader
from prunus.store.records import Usage

_REFUSALS: Final = (400, 422)
"""The statuses with which providers refuse a request that they cannot read."""


@dataclass(frozen=True, slots=True)
class Services:
    """The objects that all requests share."""

    upstream: Upstream
    metrics: Metrics
    faults: Faults
    limit: int
    """Bytes of a body that is looked at."""
    prepare: Callable[[Tenant, Arrived], Awaitable[Prepared]]
    go_on: Callable[[Tenant, Prepared, bytes], Awaitable[Prepared]]
    finish: Callable[[Tenant, Event], None]
    rest: Callable[[Tenant, Prepared, SentBy], None]
    clock: Clock


class ProxiedRequest:
    """One request, from its first byte to the last of its answer."""

    def __init__(
        self,
        services: Services,
        scope: Mapping[str, Any],
        names: Mapping[str, str],
        found: Route,
        tenant: Tenant,
        receive: Receive,
        send: Send,
    ) -> None:
        self._services = services
        self._method: str = scope["method"]
        self._query: str = scope["query_string"].decode("latin-1")
        self._headers: Headers = scope["headers"]
        self._names = names
        self._route = found
        self._tenant = tenant
        self._send = send
        self._peer = Peer(receive)
        self._time = services.clock.time()
        self._begun = time.perf_counter()
        self._status = 0
        self._started = False
        self._prepared: Prepared | None = None
        self._usages: list[Usage] = []
        self._usage: UsageReader | None = None
        self._finished = False

    async def run(self) -> None:
        try:
            await self._run()
        except NoAnswer as error:
            await self._break_off(error)
        except ClientGone:
            pass
        except Exception as error:
            self._services.faults.report("proxy", error)
            if self._started:
                raise
            await self._break_off(NoAnswer(502, f"a fault of Prunus ({type(error).__name__})"))
        except asyncio.CancelledError:
            if not self._peer.gone:
                if self._started:
                    raise
                await self._break_off(NoAnswer(503, "the proxy is being stopped"))
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
        finally:
            self._peer.close()
            try:
                self._settle()
            except Exception as error:
                self._services.faults.report("accounts", error)

    async def _run(self) -> None:
        if not self._route.format:
            await self._pass()
            return
        limit = self._services.limit
        length = self._names.get("content-length", "")
        if length.isdigit() and int(length) > limit:
            await self._pass()
            return
        raw, whole = await self._peer.read(limit)
        if not whole:
            await self._pass(raw)
            return
        arrived = Arrived(
            raw,
            self._names.get("content-encoding", ""),
            self._route,
            client_name(self._names),
            self._time,
            conversation_key(self._names),
            caller_of(self._headers, self._query),
            self._names,
        )
        prepared = await self._services.prepare(self._tenant, arrived)
        self._prepared = prepared
        self._services.metrics.pruning.observe(prepared.seconds)
        if prepared.reply is not None:
            kind, body = prepared.reply
            self._status = 200
            self._peer.close()
            await answer_with(self._send, 200, [(b"content-type", kind.encode())], body)
            return
        await self._ask(prepared, raw)

    async def _pass(self, head: bytes = b"") -> None:
        """Send a request on as it comes, without holding it."""
        headers = request_headers(self._headers, changed=False, readable=False)
        length = self._names.get("content-length", "")
        body: AsyncIterator[bytes] | bytes | None = None
        if head:
            body = after(head, self._peer.body())
        elif "transfer-encoding" in self._names or (length.isdigit() and int(length)):
            body = self._peer.body()
        else:
            await self._peer.read(0)
        answer = await self._services.upstream.send(
            self._route.upstream,
            self._method,
            self._route.path,
            self._query,
            headers,
            body,
            int(length) if length.isdigit() else None,
        )
        await self._relay(answer)

    async def _ask(self, prepared: Prepared, raw: bytes) -> None:
        """Send a request of a model, and the original instead where the provider refuses the pruned one."""
        turn = prepared.turn
        answer = await self._post(prepared.body, changed=prepared.changed, plain=turn is not None and turn.watches)
        if prepared.changed and answer.status in _REFUSALS:
            answer.close()
            answer = await self._post(raw, changed=False)
            if answer.status not in _REFUSALS:
                self._prepared = self._tenant.refuse(prepared)
                self._services.faults.report("provider", "a pruned request was refused and its original was not")
            turn = None
        if turn is not None and turn.watches and 200 <= answer.status < 300 and can_decode(answer.encoding):
            await self._intercept(turn, prepared, answer)
        else:
            await self._relay(answer)

    async def _post(self, body: bytes, *, changed: bool, plain: bool = False) -> Answer:
        headers = request_headers(self._headers, changed=changed, readable=True)
        if plain:
            headers = [(name, value) for name, value in headers if name.lower() != b"accept-encoding"]
            headers.append((b"accept-encoding", b"identity"))
        place = self._route
        return await self._services.upstream.send(
            place.upstream, self._method, place.path, self._query, headers, body
        )

    async def _relay(self, answer: Answer) -> None:
        """Hand an answer to the client as it comes; a client that reads slowly holds back the upstream."""
        try:
            await self._start(answer)
            usage = self._usage
            send = self._send
            while chunk := await answer.next_piece():
                if usage is not None:
                    usage.feed(chunk)
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await self._end(b"")
        finally:
            answer.close()

    async def _start(self, answer: Answer, *, rewritten: bool = False) -> None:
        headers = answer_headers(answer.headers, rewritten=rewritten)
        self._status = answer.status
        self._listen(answer, "" if rewritten else answer.encoding)
        self._services.metrics.first_byte.observe(time.perf_counter() - self._begun)
        await self._send({"type": "http.response.start", "status": answer.status, "headers": headers})
        self._started = True

    def _listen(self, answer: Answer, encoding: str) -> None:
        """Read the usage of an answer from here on, from chunks in a content encoding."""
        if self._prepared is not None and self._prepared.exchange is not None and 200 <= answer.status < 300:
            kind = value_of(answer.headers, b"content-type")
            self._usage = UsageReader(kind, encoding, api_named(self._route.format))

    def _count(self) -> None:
        """The answer is over: note what it took."""
        found = self._usage.end() if self._usage is not None else None
        self._finished = self._usage is not None and self._usage.finished
        self._usage = None
        self._usages += [found] if found is not None else []

    async def _end(self, body: bytes) -> None:
        self._peer.close()
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _intercept(self, turn: Interceptor, prepared: Prepared, answer: Answer) -> None:
        """Pass an answer through the agent layer, and ask again where the layer wants to go on."""
        guarded = GuardedAnswer(turn, self._services.faults)
        await self._start(answer, rewritten=True)
        while True:
            await self._pass_through(guarded, answer)
            rest, again = await asyncio.to_thread(guarded.end)
            if again is None:
                await self._end(rest)
                return
            if rest:
                await self._send({"type": "http.response.body", "body": rest, "more_body": True})
            try:
                prepared = self._prepared = await self._go_on(turn, prepared, again)
                answer = await self._post(prepared.body, changed=True, plain=True)
                status, body = answer.status, b"" if 200 <= answer.status < 300 else await answer.read()
                if not can_decode(answer.encoding):
                    status, body = 502, b"an answer in an unknown content encoding"
            except NoAnswer as error:
                status, body = error.status, error.reason.encode()
            if not 200 <= status < 300:
                answer.close()
                await self._end(guarded.fail(status, body))
                return
            self._listen(answer, "")

    async def _pass_through(self, guarded: GuardedAnswer, answer: Answer) -> None:
        """Hand one answer of the provider to the agent layer, and what comes out of it to the client."""
        decoder = decoder_of(answer.encoding)
        try:
            async for raw in answer.chunks():
                chunk = decode_chunk(decoder, raw)
                if self._usage is not None:
                    self._usage.feed(chunk)
                chunk = guarded.feed(chunk)
                if chunk:
                    await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        finally:
            answer.close()
        self._count()

    async def _go_on(self, turn: Interceptor, prepared: Prepared, body: bytes) -> Prepared:
        """A further call of the model as it is sent; where pruning it fails, nothing new is cut in it."""
        try:
            return await self._services.go_on(self._tenant, prepared, body)
        except Exception as error:
            self._services.faults.report("agent", error)
        try:
            return replace(prepared, body=turn.again(None))
        except Exception as error:
            raise NoAnswer(502, f"a fault of Prunus ({type(error).__name__})") from error

    async def _break_off(self, error: NoAnswer) -> None:
        """Say that there is no answer; half way through one, cut the line so that it does not look whole."""
        LOGGER.warning("%s %s: %s", self._route.upstream, self._route.path, error.reason)
        if self._started:
            raise ConnectionAbortedError(error.reason) from error
        self._status = error.status
        self._peer.close()
        await refuse(self._send, self._route.upstream, error.status, error.reason)

    def _settle(self) -> None:
        """Count what the exchange took, and tell what became of it."""
        seconds = time.perf_counter() - self._begun
        self._count()
        prepared = self._prepared
        exchange = None
        if prepared is not None:
            exchange = self._tenant.bills.settle(prepared, self._status, self._usages, seconds * 1000)
        client, place = client_name(self._names), self._route
        event = Event(self._time, client, self._method, place.upstream, place.path, self._status, seconds)
        self._services.finish(self._tenant, event if prepared is None else prepared.ended(event, exchange))
        if prepared is not None and self._finished and not self._peer.gone:
            self._services.rest(self._tenant, prepared, SentBy(self._method, self._query, self._headers))
