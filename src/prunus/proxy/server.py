"""The HTTP server: uvicorn, with an end that lets running answers finish."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing.connection import Connection
from socket import socket
from types import FrameType
from typing import Final

import uvicorn

from prunus.proxy.app import App
from prunus.proxy.client_connection import ClientConnection
from prunus.settings.tables import Proxy

_CANCEL_SECONDS: Final = 5
"""Seconds that cancelled requests get to end."""
END_SECONDS: Final = _CANCEL_SECONDS + 5
"""Seconds that the end takes at most once no answer is waited for any more."""
_KEEP_ALIVE: Final = 120
"""Seconds that a client may leave a connection unused: longer than clients do, so that none finds it closed."""
_TICK: Final = 0.05


class Server(uvicorn.Server):
    """Serves until the first signal, then closes the port and waits for running answers.

    Between the signal and the closing of the port pass `proxy.drain` seconds, in which `/readyz` answers 503, so
    that a load balancer stops sending requests. After `proxy.grace` more seconds, or at a second signal, the
    answers that still run are cut.
    """

    def __init__(self, app: App, settings: Proxy, ready: Callable[[], None] = lambda: None) -> None:
        # What uvicorn says about single requests would repeat our words, and show what a stack trace may hold.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().__init__(
            uvicorn.Config(
                app,
                loop="uvloop" if find_spec("uvloop") else "asyncio",
                http=ClientConnection,
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_keep_alive=_KEEP_ALIVE,
            )
        )
        self._app = app
        self._grace = settings.grace
        self._drain = settings.drain
        self._ready = ready

    @property
    def longest_end(self) -> float:
        """Seconds that may pass between `stop` and the end."""
        return self._drain + self._grace + END_SECONDS

    def stop(self, *, now: bool = False) -> None:
        """End as at a first signal, or `now` as at a second one; any thread may call it."""
        self.should_exit = True
        self.force_exit = self.force_exit or now

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        again = self.should_exit
        super().handle_exit(sig, frame)
        self.force_exit = again

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        self._app.health.draining = True
        await self._wait(self._drain)
        if self._app.pages is not None:
            self._app.pages.ending.set()
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        state = self.server_state
        for connection in list(state.connections):
            connection.shutdown()
        await self._wait(self._grace, lambda: bool(state.connections or state.tasks))
        running = list(state.tasks)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_CANCEL_SECONDS)
        await self.lifespan.shutdown()

    async def _wait(self, seconds: float, needed: Callable[[], bool] = lambda: True) -> None:
        """Wait that long, but not after a second signal, nor when it is not `needed` any more."""
        until = time.monotonic() + seconds
        while needed() and not self.force_exit and time.monotonic() < until:
            await asyncio.sleep(_TICK)


class Worker(Server):
    """One of several processes.

    The terminal and service managers signal all processes of a group, the supervisor too. So a signal is no order
    to end at once here, however often it comes: only the supervisor gives that order, over a pipe.
    """

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.force_exit = False

    def obey(self, orders: Connection) -> None:
        """Follow the supervisor's orders (whether to end now) until the pipe or the supervisor ends."""
        while True:
            try:
                self.stop(now=orders.recv())
            except (EOFError, OSError):
                self.stop()
                return
