"""Switches to an application with new settings; running requests finish with the old one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from prunus.proxy.app import App
from prunus.proxy.peer import Receive, Send


class NewestApp:
    """An ASGI application that can be replaced while requests run."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._open = {app: 0}
        """The number of requests that each application serves."""
        self._idle = asyncio.Condition()
        self._retiring: set[asyncio.Task[None]] = set()

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
                async with self._idle:
                    self._idle.notify_all()

    async def replace(self, app: App) -> None:
        """Serve new requests with another application; the old one is closed once its requests have ended."""
        await app.open()
        old, self.app = self.app, app
        self._open[app] = 0
        old.end_pages()
        task = asyncio.create_task(self._retire(old))
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)

    async def _retire(self, app: App) -> None:
        async with self._idle:
            await self._idle.wait_for(lambda: not self._open[app])
        del self._open[app]
        await app.close()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await self.app.open()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.gather(*self._retiring)
        await self.app.close()
        await send({"type": "lifespan.shutdown.complete"})


def _last(send: Send) -> Send:
    """Send an answer after which the client closes its connection: its next request shall go to another replica."""

    async def sent(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        await send(message)

    return sent
