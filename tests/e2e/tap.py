"""A tap between a client and the proxy: passes everything on as it comes, and keeps both directions."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import aiohttp
from aiohttp import web

__all__ = ["Passed", "Tap"]

HOPS = {"host", "connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclass(slots=True)
class Passed:
    """One request of the client and the answer it got."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    status: int = 0
    answer: bytearray = field(default_factory=bytearray)


class Tap:
    """Listens on a free port and passes requests on to one URL.

    `before` is called with the number of each POST before it goes on, in a thread of its own: a test can stop and
    start what stands behind the tap there.
    """

    def __init__(self, target: str, before: Callable[[int], None] | None = None) -> None:
        self.passed: list[Passed] = []
        self._target = target
        self._before = before
        self._posts = 0
        self._port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tap", daemon=True)

    @property
    def url(self) -> str:
        """What the client is given as its base URL."""
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._wait(self._open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wait(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=30)

    async def _open(self) -> None:
        app = web.Application(client_max_size=256 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._pass)
        # A connection for each request: one that was kept would not outlive a restart of the proxy.
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True),
            auto_decompress=False,
            skip_auto_headers=("user-agent",),
        )
        self._runner = web.AppRunner(
            app, handler_cancellation=True, auto_decompress=False, access_log=None, shutdown_timeout=0.2
        )
        await self._runner.setup()
        listener = socket.create_server(("127.0.0.1", 0))
        self._port = listener.getsockname()[1]
        await web.SockSite(self._runner, listener).start()

    async def _close(self) -> None:
        await self._runner.cleanup()
        await self._session.close()

    async def _pass(self, http: web.Request) -> web.StreamResponse:
        kept = {key: value for key, value in http.headers.items() if key.lower() not in HOPS}
        if "upgrade" in http.headers:
            kept["Connection"] = "Upgrade"
        passed = Passed(http.method, http.path_qs, kept, await http.read())
        self.passed.append(passed)
        if http.method == "POST":
            number, self._posts = self._posts, self._posts + 1
            if self._before:
                await asyncio.to_thread(self._before, number)
        body = passed.body or None
        async with self._session.request(http.method, self._target + http.path_qs, data=body, headers=kept) as got:
            passed.status = got.status
            answer = {key: value for key, value in got.headers.items() if key.lower() not in HOPS}
            out = web.StreamResponse(status=got.status, reason=got.reason, headers=answer)
            await out.prepare(http)
            # A client may leave as soon as it has read the last event.
            with contextlib.suppress(ConnectionResetError):
                async for chunk in got.content.iter_any():
                    passed.answer += chunk
                    await out.write(chunk)
                await out.write_eof()
            return out
