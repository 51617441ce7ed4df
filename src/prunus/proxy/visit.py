"""One request, from its first byte to the last of its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from prunus.proxy.answers import answer_with, refuse
from prunus.proxy.caller import caller_of
from prunus.proxy.encoding import Decoder, can_decode, decoder_of
from prunus.proxy.exchange import Arrived, Event, Prepared
from prunus.proxy.faults import LOGGER, Faults
from prunus.proxy.headers import Headers, answer_headers, request_headers, value_of
from prunus.proxy.hooks import Turn
from prunus.proxy.metrics import Metrics
from prunus.proxy.peer import ClientGone, Peer, Receive, Send
from prunus.proxy.route import Route
from prunus.proxy.tenant import Tenant
from prunus.proxy.upstream import Answer, NoAnswer, Upstream
from prunus.proxy.usage import UsageReader
from prunus.store.records import Usage

__all__ = ["House", "Visit"]

_REFUSALS: Final = (400, 422)
"""How providers answer a request that they cannot read."""


@dataclass(frozen=True, slots=True)
class House:
    """What all visits share."""

    upstream: Upstream
    metrics: Metrics
    faults: Faults
    limit: int
    """Bytes of a body that is looked at."""
    prepare: Callable[[Tenant, Arrived], Awaitable[Prepared]]
    go_on: Callable[[Tenant, Prepared, bytes], Awaitable[Prepared]]
    finish: Callable[[Tenant, Event], None]


_KEYS: Final = ("x-claude-code-agent-id", "x-claude-code-session-id", "x-session-id", "thread-id", "session-id")
"""Headers by which clients name a conversation."""


class Visit:
    """One request, from its first byte to the last of its answer."""

    def __init__(
        self,
        house: House,
        scope: Mapping[str, Any],
        names: Mapping[str, str],
        found: Route,
        tenant: Tenant,
        receive: Receive,
        send: Send,
    ) -> None:
        self._house = house
        self._method: str = scope["method"]
        self._query: str = scope["query_string"].decode("latin-1")
        self._headers: Headers = scope["headers"]
        self._names = names
        self._route = found
        self._tenant = tenant
        self._send = send
        self._peer = Peer(receive)
        self._time = time.time()
        self._begun = time.perf_counter()
        self._status = 0
        self._started = False
        self._prepared: Prepared | None = None
        self._usages: list[Usage] = []
        self._usage: UsageReader | None = None

    async def run(self) -> None:
        try:
            await self._run()
        except NoAnswer as error:
            await self._break_off(error)
        except ClientGone:
            pass
        except Exception as error:
            self._house.faults.report("proxy", error)
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
                self._house.faults.report("accounts", error)

    async def _run(self) -> None:
        if not self._route.format:
            await self._pass()
            return
        limit = self._house.limit
        length = self._names.get("content-length", "")
        if length.isdigit() and int(length) > limit:
            await self._pass()
            return
        raw, whole = await self._peer.read(limit)
        if not whole:
            await self._pass(raw)
            return
        encoding = self._names.get("content-encoding", "")
        client = _client(self._names.get("user-agent", ""))
        key = next((value for name in _KEYS if (value := self._names.get(name, ""))), "")
        caller = caller_of(self._headers, self._query)
        arrived = Arrived(raw, encoding, self._route, client, self._time, key, caller, self._names)
        prepared = await self._house.prepare(self._tenant, arrived)
        self._prepared = prepared
        self._house.metrics.pruning.observe(prepared.seconds)
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
            body = _after(head, self._peer.body())
        elif "transfer-encoding" in self._names or (length.isdigit() and int(length)):
            body = self._peer.body()
        else:
            await self._peer.read(0)
        answer = await self._house.upstream.send(
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
                self._house.faults.report("provider", "a pruned request was refused and its original was not")
            turn = None
        if turn is not None and turn.watches and 200 <= answer.status < 300 and can_decode(_encoding(answer)):
            await self._intercept(turn, prepared, answer)
        else:
            await self._relay(answer)

    async def _post(self, body: bytes, *, changed: bool, plain: bool = False) -> Answer:
        headers = request_headers(self._headers, changed=changed, readable=True)
        if plain:
            headers = [(name, value) for name, value in headers if name.lower() != b"accept-encoding"]
            headers.append((b"accept-encoding", b"identity"))
        place = self._route
        return await self._house.upstream.send(place.upstream, self._method, place.path, self._query, headers, body)

    async def _relay(self, answer: Answer) -> None:
        """Hand an answer to the client as it comes; a client that reads slowly holds back the upstream."""
        try:
            await self._start(answer, answer_headers(answer.headers))
            usage = self._usage
            send = self._send
            async for chunk in answer.chunks():
                if usage is not None:
                    usage.feed(chunk)
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await self._end(b"")
        finally:
            answer.close()

    async def _start(self, answer: Answer, headers: list[tuple[bytes, bytes]]) -> None:
        self._status = answer.status
        self._listen(answer)
        self._house.metrics.first_byte.observe(time.perf_counter() - self._begun)
        await self._send({"type": "http.response.start", "status": answer.status, "headers": headers})
        self._started = True

    def _listen(self, answer: Answer) -> None:
        """Read the usage of an answer from here on."""
        if self._prepared is not None and self._prepared.exchange is not None and 200 <= answer.status < 300:
            self._usage = UsageReader(value_of(answer.headers, b"content-type"), _encoding(answer))

    def _count(self) -> None:
        """The answer is over: note what it took."""
        found = self._usage.end() if self._usage is not None else None
        self._usage = None
        self._usages += [found] if found is not None else []

    async def _end(self, body: bytes) -> None:
        self._peer.close()
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _intercept(self, turn: Turn, prepared: Prepared, answer: Answer) -> None:
        """Let the agent layer see the answer, and ask again where it wants to go on."""
        await self._start(answer, answer_headers(answer.headers, rewritten=True))
        deaf = False
        while True:
            decoder = decoder_of(_encoding(answer))
            try:
                async for raw in answer.chunks():
                    if self._usage is not None:
                        self._usage.feed(raw)
                    chunk = _decoded(decoder, raw)
                    if not deaf:
                        try:
                            chunk = turn.feed(chunk)
                        except Exception as error:
                            self._house.faults.report("agent", error)
                            deaf = True
                    if chunk:
                        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
            finally:
                answer.close()
            self._count()
            rest, again = b"", None
            if not deaf:
                try:
                    rest, again = await asyncio.to_thread(turn.end)
                except Exception as error:
                    self._house.faults.report("agent", error)
            if again is None:
                await self._end(rest)
                return
            if rest:
                await self._send({"type": "http.response.body", "body": rest, "more_body": True})
            try:
                prepared = self._prepared = await self._go_on(turn, prepared, again)
                answer = await self._post(prepared.body, changed=True, plain=True)
                status, body = answer.status, b"" if 200 <= answer.status < 300 else await _all(answer)
                if not can_decode(_encoding(answer)):
                    status, body = 502, b"an answer in an unknown content encoding"
            except NoAnswer as error:
                status, body = error.status, error.reason.encode()
            if not 200 <= status < 300:
                answer.close()
                await self._end(self._failed(turn, status, body))
                return
            self._listen(answer)

    async def _go_on(self, turn: Turn, prepared: Prepared, body: bytes) -> Prepared:
        """A further call of the model as it is sent; where pruning it fails, nothing new is cut in it."""
        try:
            return await self._house.go_on(self._tenant, prepared, body)
        except Exception as error:
            self._house.faults.report("agent", error)
        try:
            return replace(prepared, body=turn.again(None))
        except Exception as error:
            raise NoAnswer(502, f"a fault of Prunus ({type(error).__name__})") from error

    def _failed(self, turn: Turn, status: int, body: bytes) -> bytes:
        try:
            return turn.fail(status, body)
        except Exception as error:
            self._house.faults.report("agent", error)
            return b""

    async def _break_off(self, error: NoAnswer) -> None:
        """Say that there is no answer; half way through one, cut the line so that it does not look whole."""
        LOGGER.warning("%s %s: %s", self._route.upstream, self._route.path, error.reason)
        if self._started:
            raise ConnectionAbortedError(error.reason) from error
        self._status = error.status
        self._peer.close()
        await refuse(self._send, self._route.upstream, error.status, error.reason)

    def _settle(self) -> None:
        seconds = time.perf_counter() - self._begun
        prepared = self._prepared
        self._count()
        exchange = None
        if prepared is not None:
            exchange = self._tenant.settle(prepared, self._status, self._usages, seconds * 1000)
        event = Event(
            self._time,
            _client(self._names.get("user-agent", "")),
            self._method,
            self._route.upstream,
            self._route.path,
            self._status,
            seconds,
            _what(prepared),
            prepared.skip if prepared is not None else "",
            exchange,
            prepared.outcome.report if prepared is not None and prepared.outcome is not None else None,
            prepared.all_receipts if prepared is not None else (),
            prepared.status_line if prepared is not None else "",
        )
        self._house.finish(self._tenant, event)


def _what(prepared: Prepared | None) -> str:
    if prepared is None:
        return "passed"
    if prepared.exchange is None:
        return "skipped"
    if prepared.exchange.shadow:
        return "shadow"
    return "pruned" if prepared.changed else "unchanged"


def _client(agent: str) -> str:
    """The name of a client by its user agent."""
    name = agent.partition("/")[0].strip().lower()[:32]
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_. ")


async def _after(head: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield head
    async for chunk in rest:
        yield chunk


async def _all(answer: Answer) -> bytes:
    """A whole answer, decoded where that can be done."""
    raw = b"".join([chunk async for chunk in answer.chunks()])
    encoding = _encoding(answer)
    return _decoded(decoder_of(encoding), raw) if can_decode(encoding) else raw


def _encoding(answer: Answer) -> str:
    return value_of(answer.headers, b"content-encoding")


def _decoded(decoder: Decoder, chunk: bytes) -> bytes:
    try:
        return decoder.feed(chunk)
    except Exception as error:  # each library has its own
        raise NoAnswer(502, "the upstream sent an answer that cannot be decompressed") from error
