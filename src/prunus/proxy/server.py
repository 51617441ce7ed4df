"""The HTTP server: uvicorn, with an end that lets running answers finish, and settings that can be replaced."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from multiprocessing.connection import Connection
from socket import SOL_SOCKET, socket
from threading import Event
from types import FrameType
from typing import Final

import uvicorn

from prunus.proxy.app import App, NewestApp
from prunus.proxy.client_connection import ClientConnection
from prunus.proxy.configuration import Configuration, Load, reloaded
from prunus.proxy.faults import LOGGER
from prunus.proxy.garbage import Garbage
from prunus.proxy.shared_listener import Counts, SharedListener

_CANCEL_SECONDS: Final = 5
"""Seconds that cancelled requests get to end."""
END_SECONDS: Final = _CANCEL_SECONDS + 5
"""Seconds that the end takes at most once no answer is waited for any more."""
_KEEP_ALIVE: Final = 120
"""Seconds that a client may leave a connection unused: longer than clients do, so that none finds it closed."""
_LAST_SECONDS: Final = 1.0
"""Seconds that a connection without a request stays open once the port is closed: one may be on its way."""
_TICK: Final = 0.05
_ATTACH_FILTER: Final = 26
"""SO_ATTACH_FILTER of Linux."""
_REFUSE_ALL: Final = struct.pack("HBBI", 6, 0, 0, 0)
"""A socket filter that lets no packet pass."""

MakeApp = Callable[[Configuration, App | None], App]
"""Makes the application of a configuration, which may replace another application."""


def _is_idle(connection: object) -> bool:
    """Whether no request of a connection is being answered."""
    cycle = connection.cycle if isinstance(connection, ClientConnection) else None
    return cycle is None or cycle.response_complete


class Server(uvicorn.Server):
    """Serves until the first signal, then closes the port and waits for running answers.

    Between the signal and the closing of the port pass `proxy.drain` seconds, in which `/readyz` answers 503, so
    that a load balancer stops sending requests. After `proxy.grace` more seconds, or at a second signal, the
    answers that still run are cut. With `load`, SIGHUP reads the settings anew.
    """

    port_ends = True
    """Whether nobody else listens on the port when this server has ended."""

    def __init__(
        self,
        configuration: Configuration,
        make: MakeApp,
        ready: Callable[[], None] = lambda: None,
        load: Load | None = None,
    ) -> None:
        # What uvicorn says about single requests would repeat our words, and show what a stack trace may hold.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._configuration = configuration
        self._make = make
        self._ready = ready
        self._load = load
        self._garbage = Garbage()
        self._apps = NewestApp(make(configuration, None), self._garbage.expect)
        self._reloads: set[asyncio.Task[None]] = set()
        super().__init__(
            uvicorn.Config(
                self._apps,
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

    @property
    def longest_end(self) -> float:
        """Seconds that may pass between `stop` and the end."""
        proxy = self._configuration.settings.proxy
        return proxy.drain + proxy.grace + END_SECONDS

    def stop(self, *, now: bool = False) -> None:
        """End as at a first signal, or `now` as at a second one; any thread may call it."""
        self.should_exit = True
        self.force_exit = self.force_exit or now

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await self.listen(sockets)
        if self._load is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._reload, self._load)
        self._ready()

    async def listen(self, sockets: list[socket] | None) -> None:
        """Open the application, and accept connections of these listeners."""
        await super().startup(sockets)

    def stop_listening(self) -> None:
        """Accept no more connections."""
        for server in self.servers:
            server.close()

    async def finish_opening(self) -> None:
        """Wait until each accepted connection is open: the server would end without one that is not."""

    async def on_tick(self, counter: int) -> bool:
        self._garbage.look(self.server_state.total_requests, idle=not self.server_state.tasks)
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        again = self.should_exit
        super().handle_exit(sig, frame)
        self.force_exit = again

    def _reload(self, load: Load) -> None:
        """Begin to put the settings into force that `load` gives, on the running loop."""
        task = asyncio.get_running_loop().create_task(self._adopt(load))
        self._reloads.add(task)
        task.add_done_callback(self._reloads.discard)

    async def _adopt(self, load: Load) -> None:
        newer = await asyncio.to_thread(reloaded, self._configuration, load)
        if newer is not None:
            await self.adopt(newer)

    async def adopt(self, newer: Configuration) -> None:
        """Serve new requests with another configuration."""
        try:
            await self._apps.replace(await asyncio.to_thread(self._make, newer, self._apps.app))
        except Exception as error:  # the old settings stay, whatever is wrong with the new ones
            self._apps.app.faults.report("reload", error)
            return
        self._configuration = newer
        LOGGER.info("the settings were reloaded")

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        proxy = self._configuration.settings.proxy
        self._apps.app.health.draining = True
        await self._wait(proxy.drain)
        self._apps.app.end_pages()
        ends = (sockets or ()) if self.port_ends else ()
        last = [line for listener in ends for line in _last_connections(listener)]
        self.stop_listening()
        for listener in sockets or ():
            listener.close()
        for line in last:
            await asyncio.get_running_loop().connect_accepted_socket(self._connection, line)
        await self.finish_opening()
        state = self.server_state
        await self._wait(min(proxy.drain, _LAST_SECONDS), lambda: any(map(_is_idle, state.connections)))
        for connection in list(state.connections):
            connection.shutdown()
        await self._wait(proxy.grace, lambda: bool(state.connections or state.tasks))
        running = list(state.tasks)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_CANCEL_SECONDS)
        await self.lifespan.shutdown()

    def _connection(self) -> ClientConnection:
        return ClientConnection(self.config, self.server_state, self.lifespan.state)

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

    port_ends = False

    def __init__(self, configuration: Configuration, make: MakeApp, counts: Counts, own: int) -> None:
        super().__init__(configuration, make, self._note_start)
        self._counts, self._own = counts, own
        self._listeners: list[SharedListener] = []
        self._begun = Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def listen(self, sockets: list[socket] | None) -> None:
        if sys.platform == "win32" or sockets is None:  # an event loop of Windows does not watch a listener
            await super().listen(sockets)
            return
        await super().listen([])
        count = partial(len, self.server_state.connections)
        self._listeners = [SharedListener(one, self._counts, self._own, count, self._connection) for one in sockets]

    def stop_listening(self) -> None:
        super().stop_listening()
        for listener in self._listeners:
            listener.close()

    async def finish_opening(self) -> None:
        for listener in self._listeners:
            await listener.finish_opening()

    async def on_tick(self, counter: int) -> bool:
        for listener in self._listeners:
            listener.tell()
        return await super().on_tick(counter)

    def _note_start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._begun.set()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.force_exit = False

    def obey(self, orders: Connection) -> None:
        """Follow the supervisor's orders until the pipe or the supervisor ends.

        An order is whether to end now, or a configuration to put into force.
        """
        while True:
            try:
                order: bool | Configuration = orders.recv()
            except (EOFError, OSError):
                self.port_ends = True
                self.stop()
                return
            if isinstance(order, Configuration):
                self._begun.wait()
                assert self._loop is not None
                asyncio.run_coroutine_threadsafe(self.adopt(order), self._loop)
            else:
                self.port_ends = True
                self.stop(now=order)


def _last_connections(listener: socket) -> Iterator[socket]:
    """Let no more clients connect, and accept those that wait, whom the kernel would reset with the listener.

    On Linux, a client that comes now asks again a second later and finds the port closed. Elsewhere, one that comes
    between the last connection taken and the closing of the port is reset.
    """
    if sys.platform == "linux":
        program = ctypes.create_string_buffer(_REFUSE_ALL)
        with suppress(OSError):
            listener.setsockopt(SOL_SOCKET, _ATTACH_FILTER, struct.pack("HL", 1, ctypes.addressof(program)))
    listener.setblocking(False)
    with suppress(OSError):
        while True:
            yield listener.accept()[0]
