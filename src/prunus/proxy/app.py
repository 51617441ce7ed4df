"""The proxy as an ASGI application. Only this module and `upstream` wait for the network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from prunus.dashboard.page import Sources
from prunus.outcome import Receipt
from prunus.proxy.answers import answer_json, answer_with, refuse
from prunus.proxy.clock import Clock, SystemClock
from prunus.proxy.exchange import Arrived, Event, Prepared, SentBy
from prunus.proxy.faults import LOGGER, Faults
from prunus.proxy.headers import ambiguity
from prunus.proxy.health import PATHS, Health
from prunus.proxy.hooks import AgentHooks
from prunus.proxy.keep_alive import KeepAlive, rest_after
from prunus.proxy.log import with_fields
from prunus.proxy.log_lines import (
    edit_fields,
    edit_lines,
    pruned_on_request_fields,
    request_fields,
    request_line,
    step_back_line,
)
from prunus.proxy.metrics import CONTENT_TYPE, Metrics
from prunus.proxy.pages import Pages
from prunus.proxy.peer import Receive, Send
from prunus.proxy.preparing import Preparing
from prunus.proxy.proxied_request import ProxiedRequest, Services
from prunus.proxy.recorder import Recorder
from prunus.proxy.route import route
from prunus.proxy.security import Gate, Refused
from prunus.proxy.sidecar import Sidecar, is_sidecar
from prunus.proxy.tenant import Tenant
from prunus.proxy.tracing import Tracing
from prunus.proxy.upstream import Upstream
from prunus.settings import Settings
from prunus.store.records import Exchange
from prunus.store.store import Store, StoreError


class App:
    """Passes requests on, prunes those of models, and never makes one worse."""

    def __init__(
        self,
        settings: Settings,
        store: Store | None = None,
        layer: AgentHooks | None = None,
        watch: Callable[[Event], None] | None = None,
        fallback: str = "openai",
        clock: Clock | None = None,
        origins: Mapping[str, str] | None = None,
        before: App | None = None,
    ) -> None:
        """`before` is the application that this one replaces: health and counters go on."""
        proxy = settings.proxy
        clock = clock or SystemClock()
        self.health: Health = before.health if before is not None else Health()
        self.metrics: Metrics = before.metrics if before is not None else Metrics()
        self._settings = settings
        self._store = store
        self._watch = watch
        self._fallback = fallback
        self.faults = Faults(self.metrics.fault)
        self._gate = Gate.build(proxy.token, proxy.host, proxy.names)
        self._upstream = Upstream(settings.upstreams.addresses(), proxy.connect_timeout, proxy.idle_timeout)
        self._tenants = {
            name: Tenant(name, settings, store, layer, self.faults) for name in self._gate.tokens or ("",)
        }
        self._recorder: Recorder | None = None
        self._preparing = Preparing(proxy.deadline)
        self._under_way = 0
        """Requests to providers that are not answered yet."""
        self._stepped_back: set[tuple[str, str]] = set()
        """The agents and strategies of which the log has told that they step back."""
        self._keep_alive = KeepAlive(settings.cache.keep_alive, self._upstream, clock, self.faults, self._record)
        self._services = Services(
            self._upstream,
            self.metrics,
            self.faults,
            settings.limits.body,
            self._prepare,
            self._preparing.go_on,
            self._finish,
            self._rest,
            clock,
        )
        self.pages: Pages | None = None
        if store is not None:
            self.pages = Pages(
                Sources(settings, store, origins or {}, lambda tenant, id: self._tenants[tenant].pruner.files(id)),
                self._gate,
                self.faults,
            )
        self._tracing = Tracing(proxy.otlp, self.faults) if proxy.otlp else None
        self._sidecar = Sidecar(settings, self._preparing, self.faults, clock, self._tell)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._serve(scope, receive, send)

    async def open(self) -> None:
        """Get ready, on the running loop, so that the first request finds certificates and store at hand."""
        await self._upstream.open()
        if self._store is not None and self._settings.store.url != "off":
            self._recorder = Recorder(self._store, self.faults)
            await asyncio.to_thread(self._open_store, self._store)

    def _open_store(self, store: Store) -> None:
        try:
            store.open()
        except StoreError as error:
            self.faults.report("store", error)

    async def close(self) -> None:
        """Let go of connections and threads; what was recorded is written."""
        self._keep_alive.close()
        self._upstream.close()
        self._preparing.close()
        if self.pages is not None:
            self.pages.close()
        await asyncio.to_thread(self._let_go)

    def end_pages(self) -> None:
        """End the streams of the dashboard; browsers connect again."""
        if self.pages is not None:
            self.pages.ending.set()

    def _let_go(self) -> None:
        if self._tracing is not None:
            self._tracing.close()
        if self._recorder is not None:
            self._recorder.close()
        if self._store is not None:
            self._store.close()

    async def _serve(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        names = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        path = quote(
            scope["raw_path"].decode("latin-1"), safe="/%:@!$&'()*+,;=~-._[]|^{}\"<>\\`", encoding="latin-1"
        )
        wrong = ambiguity(scope["headers"])
        if wrong:
            await refuse(send, "", 400, wrong)
            return
        if self.pages is not None and self.pages.wants(scope["method"], path, names):
            await self.pages.serve(scope, names, path, receive, send)
            return
        # Whether the proxy lives may be asked without a token, but not by a web page.
        own = is_sidecar(path)
        asks_state = path in PATHS
        bearer = own or path == "/metrics"
        tenant = self._gate.check_page(names) or "" if asks_state else self._gate.admit(names, bearer=bearer)
        if isinstance(tenant, Refused):
            self.metrics.requests.labels("", "refused").inc()
            await refuse(send, "", tenant.status, tenant.reason)
        elif asks_state:
            await answer_json(send, *self.health.state(path))
        elif path == "/metrics":
            await answer_with(send, 200, [(b"content-type", CONTENT_TYPE.encode())], self.metrics.render())
        elif names.get("upgrade", "").lower() == "websocket":
            # Clients that try a WebSocket first fall back to HTTP on this answer.
            await refuse(send, "openai", 426, "no WebSocket here, use HTTP", [(b"upgrade", b"HTTP/1.1")])
        elif own:
            await self._sidecar.answer(self._tenants[tenant], scope, names, path, receive, send)
        elif not path.startswith("/"):
            await refuse(send, "", 400, "the request names no path")
        else:
            found = route(scope["method"], path, names, self._fallback)
            if found.upstream not in self._upstream:
                await refuse(send, "", 404, f"no upstream {found.upstream!r} in the settings")
                return
            self.metrics.open.inc()
            self._under_way += 1
            try:
                await ProxiedRequest(
                    self._services, scope, names, found, self._tenants[tenant], receive, send
                ).run()
            finally:
                self.metrics.open.dec()
                self._under_way -= 1

    async def _prepare(self, tenant: Tenant, arrived: Arrived) -> Prepared:
        """What to send for a request; its conversation needs no keep-alive request meanwhile."""
        with self._keep_alive.arriving(arrived.caller):
            prepared = await self._preparing.prepare(tenant, arrived, alone=self._under_way == 1)
            if prepared.exchange is not None:
                self._keep_alive.begin(tenant.name, prepared.exchange.conversation)
            return prepared

    def _rest(self, tenant: Tenant, prepared: Prepared, sent: SentBy) -> None:
        """An answer is finished: have the cache kept alive while the user pauses."""
        rest = rest_after(tenant, prepared, sent) if self._settings.cache.keep_alive else None
        if rest is not None:
            self._keep_alive.rest(rest)

    def _record(self, tenant: Tenant, exchange: Exchange, receipts: Sequence[Receipt] = ()) -> None:
        """Count and record an exchange with the receipts of its edits."""
        self.metrics.exchanged(exchange, receipts)
        if self._recorder is not None:
            self._recorder.put(tenant.name, exchange, tenant.context)

    def _finish(self, tenant: Tenant, event: Event) -> None:
        """A request that was passed on is over."""
        if event.exchange is not None:
            self._keep_alive.end(tenant.name, event.exchange.conversation, event.status)
        self._tell(tenant, event)

    def _tell(self, tenant: Tenant, event: Event) -> None:
        """Count, record and tell what became of a request."""
        self.metrics.requests.labels(event.exchange.format if event.exchange else "", event.what).inc()
        self.metrics.answers.labels(event.upstream, str(event.status)).inc()
        if event.exchange is not None:
            self._record(tenant, event.exchange, event.receipts)
        if self._tracing is not None:
            self._trace(self._tracing, event)
        self._tell_of_steps_back(event)
        LOGGER.info("%s", _Lazy(event), extra=with_fields(lambda: request_fields(event)))
        if event.status_line:
            LOGGER.info("%s", event.status_line, extra=with_fields(lambda: pruned_on_request_fields(event)))
        if event.receipts and LOGGER.isEnabledFor(10):
            for receipt, line in edit_lines(event.receipts):
                LOGGER.debug("%s", line, extra=with_fields(partial(edit_fields, event, receipt)))
        if self._watch is not None:
            try:
                self._watch(event)
            except Exception as error:  # a table that cannot be drawn must not cost a request
                self.faults.report("display", error)

    def _trace(self, tracing: Tracing, event: Event) -> None:
        try:
            tracing.request(event)
        except Exception as error:  # a span that cannot be made must not cost a request
            self.faults.report("otlp", error)

    def _tell_of_steps_back(self, event: Event) -> None:
        """Log once for each agent which strategies step back."""
        for strategy in event.report.stepped_back if event.report is not None else ():
            if (event.client, strategy) not in self._stepped_back:
                self._stepped_back.add((event.client, strategy))
                LOGGER.warning("%s", step_back_line(event.client, strategy))


class _Lazy:
    """A log line that is only written where somebody reads it."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def __str__(self) -> str:
        return request_line(self._event)
