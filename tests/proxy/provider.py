"""A provider on loopback that answers as a test tells it, and remembers what it was asked, byte for byte."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

from prunus.proxy.serve import Background
from prunus.settings import Settings
from tests.loopback import Loopback

__all__ = ["Asked", "Provider", "behind", "sse"]

Answerer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it reached the provider."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value.decode() for key, value in self.headers if key.lower() == name.encode()), None)


async def _ok(request: web.Request) -> web.StreamResponse:
    return web.json_response({"ok": True})


class Provider(Loopback):
    """`answer` may be replaced at any time; `gone` is set once the reader of an answer left."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: Answerer = _ok
        self.asked: list[Asked] = []
        self.gone = threading.Event()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.asked.append(Asked(request.method, request.raw_path, tuple(request.raw_headers), body))
        try:
            return await self.answer(request)
        except (asyncio.CancelledError, ConnectionError):
            self.gone.set()
            raise


def sse(*chunks: bytes, pause: float = 0.0) -> Answerer:
    """An answer that streams these chunks."""

    async def answer(request: web.Request) -> web.StreamResponse:
        out = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await out.prepare(request)
        for chunk in chunks:
            await out.write(chunk)
            await asyncio.sleep(pause)
        await out.write_eof()
        return out

    return answer


def behind(provider: Provider, *, watch: list | None = None, **values: object) -> Background:
    """A proxy in front of a provider, on a free port; `values` are settings.

    Its deadline is far away, so that no test depends on the speed of the machine.
    """
    proxy = {"port": 0, "deadline": 600.0, **values.pop("proxy", {})}  # type: ignore[dict-item]
    store = values.pop("store", {"url": "off"})
    upstreams = dict.fromkeys(("anthropic", "openai", "gemini"), provider.url)
    upstreams |= values.pop("upstreams", {})  # type: ignore[operator]
    preset = values.pop("preset", "acp")
    values.setdefault("agent", {"offer": "off"})
    settings = Settings(preset=preset, proxy=proxy, store=store, upstreams=upstreams, **values)
    return Background(settings, watch.append if watch is not None else None)
