"""Running the proxy: in the foreground, in a thread beside something else, or in several processes."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, Final

from prunus.errors import PrunusError
from prunus.proxy.security import check_address
from prunus.settings import Settings

if TYPE_CHECKING:
    from prunus.proxy.app import App
    from prunus.proxy.exchange import Event

__all__ = ["Background", "CannotServe", "base_url", "bind", "check_packages", "serve"]

_NEEDED: Final = ("aiohttp", "uvicorn", "prometheus_client", "zstandard")
_SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where workers count together; the library reads it when it is imported, so it is set before."""
_KEEP_ALIVE: Final = 120
"""Seconds that a client may leave a connection unused: longer than clients do, so that none finds it closed."""
_GRACE: Final = 5
"""Seconds that running answers get at the end."""


class CannotServe(PrunusError):
    """The proxy cannot start here; the message says why and what to do."""


def check_packages() -> None:
    """Raise where the packages of the proxy are not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise CannotServe(f"the proxy needs {', '.join(missing)}: pip install 'prunus[proxy]'")


def bind(settings: Settings) -> socket.socket:
    """Listen on the address of the settings; port 0 takes a free one."""
    host, port = settings.proxy.host, settings.proxy.port
    check_address(host, settings.proxy.token)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        hint = "; another one is free with --port 0" if port else ""
        raise CannotServe(f"cannot listen on {host}:{port}: {error.strerror}{hint}") from error
    listener.set_inheritable(True)
    return listener


def base_url(listener: socket.socket) -> str:
    """The URL at which clients reach a listener."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(settings: Settings, listener: socket.socket, watch: Callable[[Event], None] | None = None) -> None:
    """Serve until told to stop."""
    if settings.proxy.workers > 1:
        _serve_many(settings, listener)
    else:
        app = _app(settings, watch)
        _settle_memory()
        _server(app).run([listener])


def _settle_memory() -> None:
    """Keep the garbage collector from walking again and again over what lives as long as the process."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


class Background:
    """A proxy in a thread, for a program that runs beside it."""

    def __init__(
        self,
        settings: Settings,
        watch: Callable[[Event], None] | None = None,
        fallback: str = "openai",
        make: Callable[[], App] | None = None,
    ) -> None:
        self._server = _server(make() if make is not None else _app(settings, watch, fallback))
        self._listener = bind(settings)
        self.url = base_url(self._listener)
        self._thread = threading.Thread(target=self._server.run, args=([self._listener],), name="prunus-proxy")
        self._thread.daemon = True

    def __enter__(self) -> Background:
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            self._thread.join(0.01)
        if not self._server.started:
            raise CannotServe("the proxy did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(_GRACE + 5)


def _app(settings: Settings, watch: Callable[[Event], None] | None = None, fallback: str = "openai") -> App:
    from prunus.agent.hidden import AgentLayer
    from prunus.proxy.app import App
    from prunus.store import open_store

    store = open_store(settings.store.url, settings)
    layer = AgentLayer(settings, store, lambda error: app.faults.report("store", error))
    app = App(settings, store, layer, watch, fallback)
    return app


def _server(app: App) -> Any:
    import uvicorn

    # Its words about single requests would repeat ours, and show what a stack trace may hold.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        app,
        loop="uvloop" if find_spec("uvloop") else "asyncio",
        http="httptools" if find_spec("httptools") else "h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
    )
    return uvicorn.Server(config)


def _serve_many(settings: Settings, listener: socket.socket) -> None:
    """Processes that share one listener and their counters; one that ends is replaced."""
    with tempfile.TemporaryDirectory(prefix="prunus-metrics-") as folder:
        os.environ[_SHARED] = folder
        try:
            _supervise(settings, listener)
        finally:
            del os.environ[_SHARED]


def _supervise(settings: Settings, listener: socket.socket) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    context = multiprocessing.get_context("spawn")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())

    def start() -> BaseProcess:
        process = context.Process(target=_work, args=(settings, listener, logging.getLogger("prunus").level))
        process.start()
        return process

    workers = [start() for _ in range(settings.proxy.workers)]
    while not stop.wait(0.5):
        for i, worker in enumerate(workers):
            if not worker.is_alive():
                logging.getLogger("prunus.proxy").warning("a worker ended (%s), starting another", worker.exitcode)
                mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]  # as above, no types
                workers[i] = start()
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(_GRACE + 5)


def _work(settings: Settings, listener: socket.socket, level: int) -> None:
    logging.basicConfig(level=level, stream=sys.stderr, format="%(asctime)s %(message)s")
    app = _app(settings)
    _settle_memory()
    _server(app).run([listener])
