"""The proxy as an ASGI application: checks each request, and hands it to the part of Prunus that answers it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from prunus.agent.layer import AgentLayer
from prunus.dashboard.page import Sources
from prunus.proxy.answers import answer_json, answer_with, refuse
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.exchange import Event
from prunus.proxy.faults import Faults
from prunus.proxy.headers import ambiguity
from prunus.proxy.journal import Journal
from prunus.proxy.keep_alive import Clock, KeepAlive
from prunus.proxy.metrics import CONTENT_TYPE, Metrics
from prunus.proxy.pages import Pages
from prunus.proxy.peer import Receive, Send
from prunus.proxy.preparing import Preparing
from prunus.proxy.proxied_request import ProxiedRequest, Services
from prunus.proxy.route import route
from prunus.proxy.security import Gate, Refused
from prunus.proxy.sidecar import Sidecar, is_sidecar
from prunus.proxy.tenant import Tenant
from prunus.proxy.tracing import Tracing
from prunus.proxy.upstream import Upstream
from prunus.settings import Settings
from prunus.store.store import Store, StoreError

_STATE_PATHS: Final = ("/livez", "/readyz", "/healthz")


class Health:
    """Whether the proxy lives, and whether a load balancer should send requests to it.

    The proxy is ready even if its store cannot be reached, because requests pass without the store.
    """

    def __init__(self) -> None:
        self._begun = time.time()
        self.draining = False
        """Whether the proxy is ending."""

    def state(self, path: str) -> tuple[int, dict[str, object]]:
        """The status and the JSON of an answer for one of `_STATE_PATHS`."""
        status = "draining" if self.draining else "ok"
        code = 503 if self.draining and path == "/readyz" else 200
        return code, {"status": status, "uptime": round(time.time() - self._begun, 1)}


class App:
    """Passes requests on, prunes those of models, and never makes one worse."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        layer: AgentLayer | None = None,
        watch: Callable[[Event], None] | None = None,
        fallback: str = "openai",
        clock: Clock | None = None,
        origins: Mapping[str, str] | None = None,
        before: App | None = None,
    ) -> None:
        """`before` is the application that this one replaces: health and counters go on."""
        proxy = settings.proxy
        self.health: Health = before.health if before is not None else Health()
        self.metrics: Metrics = before.metrics if before is not None else Metrics()
        self.faults = Faults(self.metrics.fault)
        self._store = store
        self._records = settings.store.url != "off"
        self._fallback = fallback
        self._clock = clock or Clock()
        self._gate = Gate.build(proxy.token, proxy.host, proxy.names)
        self._upstream = Upstream(settings.upstreams.addresses(), proxy.connect_timeout, proxy.idle_timeout)
        self._tenants = {
            name: Tenant(name, settings, store, layer, self.faults) for name in self._gate.tokens or ("",)
        }
        self._preparing = Preparing(proxy.deadline)
        tracing = Tracing(proxy.otlp, self.faults) if proxy.otlp else None
        self._journal = Journal(self.metrics, self.faults, tracing, watch)
        self._keep_alive = KeepAlive(
            settings.cache.keep_alive, self._upstream, self._clock, self.faults, self._journal.record
        )
        self._services = Services(
            self._upstream,
            self.metrics,
            self.faults,
            settings.limits.body,
            self._preparing,
            self._keep_alive,
            self._journal,
        )
        self._sidecar = Sidecar(settings, self._preparing, self.faults, self._journal)
        self._pages = Pages(
            Sources(settings, store, origins or {}, lambda tenant, id: self._tenants[tenant].pruner.files(id)),
            self._gate,
            self.faults,
        )

    async def open(self) -> None:
        """Get ready, on the running loop, so that the first request finds certificates and store at hand."""
        await self._upstream.open()
        if self._records:
            self._journal.open(self._store, lambda tenant, id: self._tenants[tenant].context(id))
            await asyncio.to_thread(self._open_store)

    def _open_store(self) -> None:
        try:
            self._store.open()
        except StoreError as error:
            self.faults.report("store", error)

    async def close(self) -> None:
        """Let go of connections and threads; what was recorded is written."""
        self._keep_alive.close()
        self._upstream.close()
        self._preparing.close()
        self._pages.close()
        await asyncio.to_thread(self._let_go)

    def end_pages(self) -> None:
        """End the streams of the dashboard; browsers connect again."""
        self._pages.ending.set()

    def _let_go(self) -> None:
        self._journal.close()
        self._store.close()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        request = ClientRequest.of(scope, self._clock.time())
        path, headers = request.path, request.values
        wrong = ambiguity(request.headers)
        if wrong:
            await refuse(send, "", 400, wrong)
            return
        if self._pages.wants(request):
            await self._pages.serve(request, receive, send)
            return
        # Whether the proxy lives may be asked without a token, but not by a web page.
        asks_state = path in _STATE_PATHS
        bearer = is_sidecar(path) or path == "/metrics"
        tenant = self._gate.check_page(headers) or "" if asks_state else self._gate.admit(headers, bearer=bearer)
        if isinstance(tenant, Refused):
            self.metrics.requests.labels("", "refused").inc()
            await refuse(send, "", tenant.status, tenant.reason)
        elif asks_state:
            await answer_json(send, *self.health.state(path))
        elif path == "/metrics":
            await answer_with(send, 200, [(b"content-type", CONTENT_TYPE.encode())], self.metrics.render())
        elif headers.get("upgrade", "").lower() == "websocket":
            # Clients that try a WebSocket first fall back to HTTP on this answer.
            await refuse(send, "openai", 426, "no WebSocket here, use HTTP", [(b"upgrade", b"HTTP/1.1")])
        elif is_sidecar(path):
            await self._sidecar.answer(self._tenants[tenant], request, receive, send)
        elif not path.startswith("/"):
            await refuse(send, "", 400, "the request names no path")
        else:
            found = route(request.method, path, headers, self._fallback)
            if found.upstream not in self._upstream:
                await refuse(send, "", 404, f"no upstream {found.upstream!r} in the settings")
                return
            with self.metrics.serving():
                await ProxiedRequest(self._services, self._tenants[tenant], request, found, receive, send).run()


class NewestApp:
    """An ASGI application that can be replaced while requests run, which finish with the old one."""

    def __init__(self, app: App, closed: Callable[[], None] = lambda: None) -> None:
        """`closed` is called once an application that was replaced is closed."""
        self.app = app
        self._closed = closed
        self._open = {app: 0}
        """The number of requests that each application serves."""
        self._closing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        app = self.app
        self._open[app] += 1
        try:
            await app(scope, receive, _last(send) if app.health.draining else send)
        finally:
            self._open[app] -= 1
            if app is not self.app:
                self._close_if_unused(app)

    async def replace(self, app: App) -> None:
        """Serve new requests with another application; the old one is closed once its requests have ended."""
        await app.open()
        self._open[app] = 0
        old, self.app = self.app, app
        old.end_pages()
        self._close_if_unused(old)

    def _close_if_unused(self, app: App) -> None:
        if not self._open[app]:
            del self._open[app]
            task = asyncio.create_task(app.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
            task.add_done_callback(lambda _: self._closed())

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await self.app.open()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.gather(*self._closing, *(app.close() for app in self._open))
        await send({"type": "lifespan.shutdown.complete"})


def _last(send: Send) -> Send:
    """Send an answer after which the client closes its connection: its next request shall go to another replica."""

    async def sent(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        await send(message)

    return sent
