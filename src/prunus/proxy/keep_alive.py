"""Keep-alive requests: send the last request of a conversation again, so that the provider's cache does not expire.

After a finished answer the user reads, thinks, or goes for lunch. Shortly before the cache expires, the last
request is sent again with the smallest possible answer, which is discarded. That reads the cache, so its lifetime
starts anew.

No keep-alive request is sent while a tool runs, or while a request of the conversation is under way on any replica.
They stop at the number in the settings, at the next request, and when they would not have paid in the pauses so
far. They also stop if the client left before its answer was complete, if the provider's answer is not a success, or
if the provider found nothing in its cache. If a user's rate is limited, they stop for all conversations of that
user.

The credentials of the request are kept in memory for as long as it may be sent again, and nowhere else.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from prunus.providers import api_named
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.encoding import decoded
from prunus.proxy.exchange import Prepared
from prunus.proxy.faults import Faults
from prunus.proxy.route import Route
from prunus.proxy.tenant import Tenant
from prunus.proxy.upstream import NoAnswer, Upstream
from prunus.proxy.usage_reader import UsageReader
from prunus.schedule.cache_life import keep_alive_after
from prunus.schedule.prices import Price
from prunus.store.records import Exchange, Usage

_WAITING: Final = 256
"""Conversations whose cache is kept alive at a time."""
_REFUSED: Final = 1024
"""Conversations that are remembered because the provider refused a keep-alive request."""
LIMITED: Final = (429, 529)
"""The statuses with which a provider limits the rate of requests."""


class Clock:
    """Tells the time and waits; tests replace it."""

    def time(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait, and let others run."""
        await asyncio.sleep(seconds)


TenantConversation = tuple[str, str]
"""The tenant and the conversation."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A conversation after a finished answer: its user pauses, and no tool runs."""

    tenant: Tenant
    request: ClientRequest
    """The last request of the client."""
    route: Route
    exchange: Exchange
    """The last request, with the number of the last call of the model."""
    price: Price
    """With the lifetime that the cache marks asked for."""
    body: bytes = field(repr=False)
    """The body of the request that reads the cache."""

    @property
    def place(self) -> TenantConversation:
        return self.tenant.name, self.exchange.conversation


def rest_after(tenant: Tenant, prepared: Prepared) -> Rest | None:
    """The pause after a finished answer; None where no request could keep the cache alive in it."""
    pruned = prepared.pruned
    if pruned is None or pruned.exchange.shadow or pruned.envelope.hold:
        return None
    request, route = pruned.arrived.request, pruned.arrived.route
    body = prepared.body
    if not prepared.changed:
        body = decoded(body, request.encoding, tenant.settings.limits.body)
    reading = api_named(route.format).cache_reading(body)
    if reading is None:
        return None
    price = tenant.bills.price(pruned.exchange.model, pruned.outcome.lifetime or pruned.envelope.lifetime)
    return Rest(tenant, request, route, replace(pruned.exchange, request=pruned.newest), price, reading)


class KeepAlive:
    """The conversations whose cache is kept alive."""

    def __init__(
        self,
        most: int,
        upstream: Upstream,
        clock: Clock,
        faults: Faults,
        record: Callable[[str, Exchange], None],
    ) -> None:
        self._most = most
        self._upstream = upstream
        self._clock = clock
        self._faults = faults
        self._record = record
        self._waiting: OrderedDict[TenantConversation, asyncio.Task[None]] = OrderedDict()
        self._running: Counter[TenantConversation] = Counter()
        self._arriving: dict[str, _Arrivals] = {}
        self._refused: OrderedDict[TenantConversation, None] = OrderedDict()

    @contextmanager
    def arriving(self, caller: str) -> Iterator[None]:
        """While it is not known which conversation a request belongs to, none of its caller's is kept alive."""
        arrivals = self._arriving.setdefault(caller, _Arrivals())
        arrivals.count += 1
        try:
            yield
        finally:
            arrivals.count -= 1
            if not arrivals.count:
                del self._arriving[caller]
                arrivals.over.set()

    def begin(self, tenant: str, conversation: str) -> None:
        """A request of a conversation is about to be sent."""
        self._running[tenant, conversation] += 1
        self._stop((tenant, conversation))

    def end(self, tenant: str, conversation: str, status: int) -> None:
        """A request of a conversation is over."""
        self._running[tenant, conversation] -= 1
        if self._running[tenant, conversation] <= 0:
            del self._running[tenant, conversation]
        if status in LIMITED:
            self._stop_all(tenant)

    def rest(self, tenant: Tenant, prepared: Prepared) -> None:
        """Keep the cache of a conversation alive after a finished answer, where that pays."""
        rest = rest_after(tenant, prepared) if self._most else None
        if rest is None or rest.place in self._refused or rest.place in self._running:
            return
        self._stop(rest.place)
        while len(self._waiting) >= _WAITING:
            self._stop(next(iter(self._waiting)))
        self._waiting[rest.place] = asyncio.get_running_loop().create_task(self._keep(rest))

    def close(self) -> None:
        """Send no more."""
        for place in tuple(self._waiting):
            self._stop(place)

    def _stop(self, place: TenantConversation) -> None:
        task = self._waiting.pop(place, None)
        if task is not None:
            task.cancel()

    def _stop_all(self, tenant: str) -> None:
        for place in [place for place in self._waiting if place[0] == tenant]:
            self._stop(place)

    async def _keep(self, rest: Rest) -> None:
        try:
            await self._send_in_time(rest)
        except Exception as error:  # a cache that expires must not cost more than its rewrite
            self._faults.report("keep-alive", error)
        if self._waiting.get(rest.place) is asyncio.current_task():
            del self._waiting[rest.place]

    async def _send_in_time(self, rest: Rest) -> None:
        """Send as many keep-alive requests as pay, each shortly before the cache expires."""
        refreshed = rest.exchange.time
        sent = 0
        while sent < await self._paying(rest):
            due = refreshed + keep_alive_after(rest.price)
            await self._clock.sleep(max(0.0, due - self._clock.time()))
            if await self._paying(rest) <= sent:
                return  # another replica has got the next request
            while rest.request.caller in self._arriving:
                await self._arriving[rest.request.caller].over.wait()
            now = self._clock.time()
            # A machine that slept has missed the time.
            if now > refreshed + rest.price.ttl or not await self._send(rest, now):
                return
            refreshed, sent = now, sent + 1

    async def _send(self, rest: Rest, now: float) -> bool:
        """Send a keep-alive request, and record its cost; False if no other may follow."""
        try:
            answer = await self._upstream.send(rest.route, rest.request, rest.body, changed=True, plain=True)
            try:
                body = await answer.read()
            finally:
                answer.close()
        except NoAnswer:
            return False
        usage = _usage(body) if 200 <= answer.status < 300 else None
        ms = (self._clock.time() - now) * 1000
        last = rest.exchange
        one = Exchange(last.conversation, last.request, now, last.client, last.format, last.model)
        one = replace(one, status=answer.status, ms=ms, keep_alive=True)
        self._record(rest.tenant.name, rest.tenant.bills.settle_keep_alive(one, rest.price, usage))
        if answer.status in LIMITED:
            self._stop_all(rest.tenant.name)
        elif 400 <= answer.status < 500 or (usage is not None and not usage.cache_read):
            self._refused[rest.place] = None
            while len(self._refused) > _REFUSED:
                self._refused.popitem(last=False)
        if usage is None or not usage.cache_read:
            return False
        place = rest.exchange.conversation, rest.exchange.request
        return await asyncio.to_thread(rest.tenant.pruner.warmth.refresh, *place, now)

    async def _paying(self, rest: Rest) -> int:
        """Return how many keep-alive requests pay in this pause; 0 if the conversation has continued elsewhere."""
        place = rest.exchange.conversation, rest.exchange.request
        return await asyncio.to_thread(rest.tenant.pruner.warmth.keep_alives, *place, self._most)


class _Arrivals:
    """Requests of one caller that are being prepared."""

    def __init__(self) -> None:
        self.count = 0
        self.over = asyncio.Event()


def _usage(body: bytes) -> Usage | None:
    reader = UsageReader("application/json")
    reader.feed(body)
    return reader.end()
