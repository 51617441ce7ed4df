"""A server on a port of this machine, in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Self

from aiohttp import web

__all__ = ["Loopback"]

LIMIT = 1 << 30
"""Bytes of a request."""
PATIENCE = 600


class Loopback(ABC):
    """Answers every request with `serve`, as bytes came: encoded bodies stay so.

    It listens between `with` and its end, on a free port where none is given; `refuse` and `accept` close the port
    and open it again.
    """

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=type(self).__name__, daemon=True)
        self._runner: web.AppRunner | None = None

    @abstractmethod
    async def serve(self, http: web.Request) -> web.StreamResponse:
        """The answer to a request; it is cancelled when its client leaves."""

    @property
    def url(self) -> str:
        """The base URL, without `/v1`."""
        return f"http://127.0.0.1:{self._port}"

    def refuse(self) -> None:
        """Close the port: connections are refused until `accept`."""
        self._wait(self._close())

    def accept(self) -> None:
        """Open the port again."""
        self._wait(self._open())

    def __enter__(self) -> Self:
        self._thread.start()
        self.accept()
        return self

    def __exit__(self, *_: object) -> None:
        self.refuse()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[None, None, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _open(self) -> None:
        app = web.Application(client_max_size=LIMIT)
        app.router.add_route("*", "/{path:.*}", self.serve)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, auto_decompress=False, access_log=None, shutdown_timeout=0.2
        )
        await self._runner.setup()
        listener = socket.create_server(("127.0.0.1", self._port), backlog=1024)
        self._port = listener.getsockname()[1]
        await web.SockSite(self._runner, listener).start()

    async def _close(self) -> None:
        if self._runner:
            await self._runner.cleanup()
            self._runner = None
