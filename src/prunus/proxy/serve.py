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
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Final

from prunus.errors import PrunusError
from prunus.proxy.security import check_address
from prunus.settings import Settings

if TYPE_CHECKING:
    from prunus.proxy.app import App
    from prunus.proxy.exchange import Event
    from prunus.proxy.server import Server

_NEEDED: Final = ("aiohappyeyeballs", "httptools", "uvicorn", "prometheus_client", "zstandard")
_SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where workers count together; the library reads it when it is imported, so it is set before."""


class CannotServe(PrunusError):
    """The proxy cannot start here; the message says why and what to do."""


def check_packages() -> None:
    """Raise where the packages of the proxy are not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        names = [name.replace("_", "-") for name in missing]
        raise CannotServe(f"the proxy needs {', '.join(names)}: pip install {' '.join(names)}")


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


def serve(
    settings: Settings,
    listener: socket.socket,
    watch: Callable[[Event], None] | None = None,
    ready: Callable[[], None] = lambda: None,
    origins: Mapping[str, str] | None = None,
) -> None:
    """Serve until told to stop; `ready` is called once requests are answered at once, or by workers that start.

    `origins` says of each setting where it comes from, for the dashboard.
    """
    if settings.proxy.workers > 1:
        _serve_many(settings, listener, ready, origins)
    else:
        from prunus.proxy.server import Server

        _run(Server(_app(settings, watch, origins=origins), settings.proxy, ready), listener)


def _run(server: Server, listener: socket.socket) -> None:
    # The garbage collector shall not walk again and again over what lives as long as the process.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    # Requests are pruned in threads: the event loop gets its turn after a millisecond, not after five.
    sys.setswitchinterval(0.001)
    server.run([listener])


class Background:
    """A proxy in a thread, for a program that runs beside it."""

    def __init__(
        self,
        settings: Settings,
        watch: Callable[[Event], None] | None = None,
        fallback: str = "openai",
        make: Callable[[], App] | None = None,
        origins: Mapping[str, str] | None = None,
    ) -> None:
        from prunus.proxy.server import Server

        app = make() if make is not None else _app(settings, watch, fallback, origins)
        self._server = Server(app, settings.proxy)
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
        self._server.stop()
        try:
            self._thread.join(self._server.longest_end)
        except KeyboardInterrupt:
            self._server.stop(now=True)
            self._thread.join(self._server.longest_end)


def _app(
    settings: Settings,
    watch: Callable[[Event], None] | None = None,
    fallback: str = "openai",
    origins: Mapping[str, str] | None = None,
) -> App:
    from prunus.agent.layer import AgentLayer
    from prunus.proxy.app import App
    from prunus.store import open_store

    store = open_store(settings.store.url, settings)
    layer = AgentLayer(settings, store, lambda error: app.faults.report("store", error))
    app = App(settings, store, layer, watch, fallback, origins=origins)
    return app


def _serve_many(
    settings: Settings, listener: socket.socket, ready: Callable[[], None], origins: Mapping[str, str] | None
) -> None:
    """Processes that share one listener and their counters; one that ends is replaced."""
    with tempfile.TemporaryDirectory(prefix="prunus-metrics-") as folder:
        os.environ[_SHARED] = folder
        try:
            _supervise(settings, listener, ready, origins)
        finally:
            del os.environ[_SHARED]


@dataclass(frozen=True, slots=True)
class _Hired:
    """A worker, and the pipe over which it gets its orders."""

    process: BaseProcess
    orders: Connection

    def stop(self, *, now: bool) -> None:
        with suppress(OSError):  # it has ended already
            self.orders.send(now)


def _supervise(
    settings: Settings, listener: socket.socket, ready: Callable[[], None], origins: Mapping[str, str] | None
) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    from prunus.proxy.server import END_SECONDS

    context = multiprocessing.get_context("spawn")
    stop, now = threading.Event(), threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: (now if stop.is_set() else stop).set())

    def hire() -> _Hired:
        theirs, ours = context.Pipe(duplex=False)
        level = logging.getLogger("prunus").level
        process = context.Process(target=_work, args=(settings, listener, theirs, level, origins))
        process.start()
        theirs.close()
        return _Hired(process, ours)

    workers = [hire() for _ in range(settings.proxy.workers)]
    ready()
    while not stop.wait(0.5):
        for i, worker in enumerate(workers):
            if not worker.process.is_alive():
                code = worker.process.exitcode
                logging.getLogger("prunus.proxy").warning("a worker ended (%s), starting another", code)
                mark_process_dead(worker.process.pid)  # type: ignore[no-untyped-call]  # as above, no types
                worker.orders.close()
                workers[i] = hire()
    listener.close()
    for worker in workers:
        worker.stop(now=False)
    while any(worker.process.is_alive() for worker in workers) and not now.wait(0.05):
        pass
    for worker in workers:
        worker.stop(now=True)
    for worker in workers:
        worker.process.join(END_SECONDS)
        if worker.process.is_alive():
            worker.process.kill()


def _work(
    settings: Settings,
    listener: socket.socket,
    orders: Connection,
    level: int,
    origins: Mapping[str, str] | None,
) -> None:
    from prunus.proxy.server import Worker

    # Ctrl-C reaches the workers as well; they wait for the supervisor's orders.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(level=level, stream=sys.stderr, format="%(asctime)s %(message)s")
    server = Worker(_app(settings, origins=origins), settings.proxy)
    threading.Thread(target=server.obey, args=(orders,), name="prunus-orders", daemon=True).start()
    _run(server, listener)
