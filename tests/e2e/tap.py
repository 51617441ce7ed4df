"""A tap between a client and the proxy: passes everything on as it comes, and keeps both directions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web

from tests.loopback import Loopback

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


class Tap(Loopback):
    """Listens on a free port and passes requests on to one URL.

    `before` is called with the number of each POST before it goes on, in a thread of its own: a test can stop and
    start what stands behind the tap there.
    """

    def __init__(self, target: str, before: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self.passed: list[Passed] = []
        self._target = target
        self._before = before
        self._posts = 0

    async def serve(self, http: web.Request) -> web.StreamResponse:
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
        url = self._target + http.path_qs
        # A connection for each request: one that was kept would not outlive a restart of the proxy.
        async with (
            aiohttp.ClientSession(auto_decompress=False, skip_auto_headers=("user-agent",)) as session,
            session.request(http.method, url, data=body, headers=kept) as got,
        ):
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
