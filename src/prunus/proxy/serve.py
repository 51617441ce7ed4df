"""Running the proxy: in the foreground, or in a thread beside something else."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from prunus.errors import PrunusError
from prunus.proxy import garbage
from prunus.proxy.configuration import Configuration, Load
from prunus.proxy.security import check_address
from prunus.settings import Settings

if TYPE_CHECKING:
    from prunus.proxy.app import App
    from prunus.proxy.exchange import Event
    from prunus.proxy.server import Server

_NEEDED: Final = ("aiohappyeyeballs", "brotli", "httptools", "uvicorn", "prometheus_client", "zstandard")


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
    configuration: Configuration,
    listener: socket.socket,
    watch: Callable[[Event], None] | None = None,
    ready: Callable[[], None] = lambda: None,
    load: Load | None = None,
) -> None:
    """Serve until told to stop; `ready` is called once requests are answered at once, or by workers that start.

    With `load`, which reads the settings anew, SIGHUP puts new settings into force.
    """
    if configuration.settings.proxy.workers > 1:
        from prunus.proxy.workers import serve_with_workers

        serve_with_workers(configuration, listener, ready, load)
    else:
        from prunus.proxy.server import Server

        run(Server(configuration, partial(make_app, watch=watch), ready, load), listener)


def run(server: Server, listener: socket.socket) -> None:
    """Run a server in this process until it ends."""
    garbage.begin()
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

        def made(configuration: Configuration, before: App | None) -> App:
            own = make() if make is not None else None
            return own or make_app(configuration, before, watch=watch, fallback=fallback)

        self._server = Server(Configuration(settings, origins or {}), made)
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


def make_app(
    configuration: Configuration,
    before: App | None = None,
    *,
    watch: Callable[[Event], None] | None = None,
    fallback: str = "openai",
) -> App:
    """The application of a configuration; it may replace the one `before`."""
    from prunus.agent.layer import AgentLayer
    from prunus.proxy.app import App
    from prunus.store import open_store

    settings = configuration.settings
    store = open_store(settings.store.url, settings)
    layer = AgentLayer(settings, store, lambda error: app.faults.report("store", error))
    app = App(settings, store, layer, watch, fallback, origins=configuration.origins, before=before)
    return app
