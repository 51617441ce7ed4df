"""One proxied request, from its first byte to the last byte of its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final

from prunus.agent.layer import HiddenTurn
from prunus.providers import api_named
from prunus.proxy.answers import answer_with, refuse
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.encoding import can_decode, decoder_of
from prunus.proxy.exchange import Arrived, Event, Prepared
from prunus.proxy.faults import LOGGER, Faults
from prunus.proxy.headers import answer_headers, value_of
from prunus.proxy.hooks import GuardedAnswer
from prunus.proxy.journal import Journal
from prunus.proxy.keep_alive import KeepAlive
from prunus.proxy.metrics import Metrics
from prunus.proxy.peer import Peer, Receive, Send
from prunus.proxy.preparing import Preparing
from prunus.proxy.route import Route
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
    preparing: Preparing
    keep_alive: KeepAlive
    journal: Journal


class ProxiedRequest:
    """One request, from its first byte to the last of its answer."""

    def __init__(
        self,
        services: Services,
        tenant: Tenant,
        request: ClientRequest,
        route: Route,
        receive: Receive,
        send: Send,
    ) -> None:
        self._services = services
        self._tenant = tenant
        self._request = request
        self._route = route
        self._send = send
        self._peer = Peer(receive)
        self._begun = time.perf_counter()
        self._answer: Answer | None = None
        """The newest answer of the provider."""
        self._status = 0
        self._started = False
        self._prepared: Prepared | None = None
        self._usages: list[Usage] = []
        self._usage: UsageReader | None = None
        self._finished = False

    async def run(self) -> None:
        try:
            with self._peer:
                await self._run()
        except NoAnswer as error:
            await self._break_off(error)
        except Exception as error:
            self._services.faults.report("proxy", error)
            if self._started:
                raise
            await self._break_off(NoAnswer(502, f"a fault of Prunus ({type(error).__name__})"))
        except asyncio.CancelledError:
            if self._started:
                raise
            await self._break_off(NoAnswer(503, "the proxy is being stopped"))
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
        finally:
            if self._answer is not None:
                self._answer.close()
            try:
                self._settle()
            except Exception as error:
                self._services.faults.report("accounts", error)

    async def _run(self) -> None:
        raw = None
        if self._route.format:
            raw = await self._peer.read(self._services.limit, self._request.length)
        if raw is None:
            await self._pass()
            return
        prepared = self._prepared = await self._prepare(Arrived(self._request, self._route, raw))
        self._services.metrics.pruning.observe(prepared.seconds)
        if prepared.reply is not None:
            kind, body = prepared.reply
            self._status = 200
            self._peer.close()
            await answer_with(self._send, 200, [(b"content-type", kind.encode())], body)
            return
        await self._ask(prepared, raw)

    async def _pass(self) -> None:
        """Send a request on as it comes, without holding it."""
        if "transfer-encoding" in self._request.values or self._request.length:
            answer = await self._forward(self._peer.body())
        else:
            await self._peer.read(0)
            answer = await self._forward(None)
        await self._relay(answer)

    async def _prepare(self, arrived: Arrived) -> Prepared:
        """What to send for a request; its conversation needs no keep-alive request meanwhile."""
        services, tenant = self._services, self._tenant
        with services.keep_alive.arriving(arrived.request.caller):
            prepared = await services.preparing.prepare(tenant, arrived)
            if prepared.pruned is not None:
                services.keep_alive.begin(tenant.name, prepared.pruned.exchange.conversation)
            return prepared

    async def _ask(self, prepared: Prepared, raw: bytes) -> None:
        """Send a request of a model, and the original instead where the provider refuses the pruned one."""
        turn = prepared.pruned.turn if prepared.pruned is not None else None
        watches = turn is not None and turn.watches
        answer = await self._forward(prepared.body, changed=prepared.changed, plain=watches)
        if prepared.changed and answer.status in _REFUSALS:
            answer = await self._forward(raw)
            if answer.status not in _REFUSALS:
                self._prepared = self._tenant.refuse(prepared)
                self._services.faults.report("provider", "a pruned request was refused and its original was not")
            turn = None
        if turn is not None and turn.watches and 200 <= answer.status < 300 and can_decode(answer.encoding):
            await self._intercept(turn, prepared, answer)
        else:
            await self._relay(answer)

    async def _forward(
        self, body: bytes | AsyncIterator[bytes] | None, *, changed: bool = False, plain: bool = False
    ) -> Answer:
        """Send the request with a body, and return its answer; what is left of an earlier answer is not read."""
        if self._answer is not None:
            self._answer.close()
        self._answer = await self._services.upstream.send(
            self._route, self._request, body, changed=changed, plain=plain
        )
        return self._answer

    async def _relay(self, answer: Answer) -> None:
        """Hand an answer to the client as it comes; a client that reads slowly holds back the upstream."""
        await self._start(answer)
        usage, send = self._usage, self._send
        while chunk := await answer.next_piece():
            if usage is not None:
                usage.feed(chunk)
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await self._end(b"")

    async def _start(self, answer: Answer, *, rewritten: bool = False) -> None:
        headers = answer_headers(answer.headers, rewritten=rewritten)
        self._status = answer.status
        self._listen(answer, "" if rewritten else answer.encoding)
        self._services.metrics.first_byte.observe(time.perf_counter() - self._begun)
        await self._send({"type": "http.response.start", "status": answer.status, "headers": headers})
        self._started = True

    def _listen(self, answer: Answer, encoding: str) -> None:
        """Read the usage of an answer from here on, from chunks in a content encoding."""
        if self._prepared is not None and self._prepared.pruned is not None and 200 <= answer.status < 300:
            kind = value_of(answer.headers, b"content-type")
            self._usage = UsageReader(kind, encoding, api_named(self._route.format))

    def _count(self) -> None:
        """The answer is over: note what it took, and whether the model has finished its turn."""
        if self._usage is not None:
            found = self._usage.end()
            self._finished = self._usage.finished
            self._usages += [found] if found is not None else []
            self._usage = None

    async def _end(self, body: bytes) -> None:
        self._peer.close()
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _intercept(self, turn: HiddenTurn, prepared: Prepared, answer: Answer) -> None:
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
                answer = await self._forward(prepared.body, changed=True, plain=True)
                if not can_decode(answer.encoding):
                    raise NoAnswer(502, "an answer in an unknown content encoding")
                if 200 <= answer.status < 300:
                    self._listen(answer, "")
                    continue
                failure = answer.status, await answer.read()
            except NoAnswer as error:
                failure = error.status, error.reason.encode()
            await self._end(guarded.fail(*failure))
            return

    async def _pass_through(self, guarded: GuardedAnswer, answer: Answer) -> None:
        """Hand one answer of the provider to the agent layer, and what comes out of it to the client."""
        decoder = decoder_of(answer.encoding)
        while raw := await answer.next_piece():
            chunk = decode_chunk(decoder, raw)
            if self._usage is not None:
                self._usage.feed(chunk)
            if chunk := guarded.feed(chunk):
                await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        self._count()

    async def _go_on(self, turn: HiddenTurn, prepared: Prepared, body: bytes) -> Prepared:
        """A further call of the model as it is sent; where pruning it fails, nothing new is cut in it."""
        try:
            return await self._services.preparing.go_on(self._tenant, prepared, body)
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
        await refuse(self._send, self._route.upstream, error.status, error.reason)

    def _settle(self) -> None:
        """Count what the exchange took, and tell what became of it."""
        seconds = time.perf_counter() - self._begun
        self._count()
        request, route, prepared, tenant = self._request, self._route, self._prepared, self._tenant
        event = Event(
            request.time, request.client, request.method, route.upstream, route.path, self._status, seconds
        )
        if prepared is not None:
            event = replace(event, preparing=prepared.seconds, what="skipped", why=prepared.skip)
        if prepared is not None and prepared.pruned is not None:
            pruned = prepared.pruned
            self._services.keep_alive.end(tenant.name, pruned.exchange.conversation, self._status)
            exchange = tenant.bills.settle(pruned, self._status, self._usages, seconds * 1000)
            event = replace(
                event,
                what="shadow" if exchange.shadow else "pruned" if prepared.changed else "unchanged",
                exchange=exchange,
                report=pruned.outcome.report,
                receipts=pruned.all_receipts,
                status_line=tenant.status_line(pruned),
                session=request.session,
                traceparent=request.values.get("traceparent", ""),
            )
        self._services.journal.tell(tenant.name, event)
        if prepared is not None and self._finished and not self._peer.gone:
            self._services.keep_alive.rest(tenant, prepared)
