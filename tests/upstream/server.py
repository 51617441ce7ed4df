"""The upstream on a port: routes, keys, encodings, faults."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import struct
from collections.abc import Callable

import zstandard
from aiohttp import web

from tests.loopback import Loopback
from tests.upstream.faults import HEADER, STATUS, Fault
from tests.upstream.model import Answer, Model, Request
from tests.upstream.prefix import Break, tokens
from tests.upstream.script import Script
from tests.upstream.values import Usage, Wire
from tests.upstream.wires import Anthropic, Chat, Gemini, Responses

__all__ = ["Upstream", "decoded"]


class Upstream(Loopback):
    """A scripted provider on a free port of this machine.

        with Upstream(Script(steps, root=folder)) as up:
            ...                      # point a client, or the proxy, at up.url
        assert not up.problems       # what a provider would have refused (each was answered with 400)
        assert not up.breaks         # requests that did not extend the one before
        up.requests, up.tokens       # every request as bytes, in order; the sum of the usage

    Faults: `up.fail(Fault("429"), times=2)` for the next requests to a model, the header `x-fault: reset;after=5`
    for one, `up.refuse()` and `up.accept()` for the port itself.
    """

    def __init__(
        self,
        script: Script,
        *,
        port: int = 0,
        keep: bool = True,
        pace: float = 0.0,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Caches expire by the `clock`, which stands still unless a test gives another one."""
        super().__init__(port)
        self.model = Model(script, keep=keep, clock=clock)
        self.pace = pace
        """Seconds between two events of a stream."""
        self.others: list[tuple[str, str]] = []
        """Requests that went to no model: method and path."""
        self.cancelled: list[int] = []
        """Requests whose client went away before the answer was whole."""
        self._faults: list[Fault] = []

    @property
    def requests(self) -> list[Request]:
        """Requests to a model, in the order in which they came."""
        return self.model.requests

    @property
    def problems(self) -> list[str]:
        """What a provider would have refused."""
        return self.model.problems

    @property
    def breaks(self) -> list[Break]:
        """Requests that did not extend the one before them."""
        return self.model.breaks

    @property
    def tokens(self) -> Usage:
        """The sum of the usage."""
        return self.model.tokens

    def fail(self, fault: Fault, times: int = 1) -> None:
        """Answer the next requests to a model with a fault."""
        self._faults.extend([fault] * times)

    async def serve(self, http: web.Request) -> web.StreamResponse:
        wire, streamed = _wire(http)
        raw = decoded(await http.read(), http.headers.get("content-encoding", ""))
        if wire is None:
            self.others.append((http.method, http.path_qs))
            return _other(http, raw)
        if not _key(http):
            return web.json_response(wire.error(401, "no API key"), status=401)
        fault = self._faults.pop(0) if self._faults else None
        if HEADER in http.headers:
            fault = Fault.parse(http.headers[HEADER])
        if fault and fault.kind == "drop":
            _abort(http)
            raise asyncio.CancelledError
        if fault and fault.kind in STATUS:
            headers = {"request-id": "req_upstream"}
            if fault.kind in ("429", "529"):
                headers["retry-after"] = str(fault.retry_after)
            error = wire.error(int(fault.kind), STATUS[fault.kind])
            return web.json_response(error, status=int(fault.kind), headers=headers)
        answer = self.model.respond(wire, http.path_qs, dict(http.headers), raw, stream=streamed)
        try:
            return await self._send(http, answer, fault)
        except (asyncio.CancelledError, ConnectionError):
            self.cancelled.append(answer.request.number)
            raise

    async def _send(self, http: web.Request, answer: Answer, fault: Fault | None) -> web.StreamResponse:
        headers = {"request-id": "req_upstream", "x-upstream-path": http.path_qs}
        if not answer.events:
            if fault and fault.kind in ("stall", "reset", "cut"):
                await _break_off(http, fault)
            if fault and fault.kind == "malformed":
                return web.Response(body=b'{"id": "half an ans', content_type="application/json", headers=headers)
            return web.json_response(answer.whole, status=answer.request.status, headers=headers)
        headers |= {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        out = web.StreamResponse(headers=headers)
        await out.prepare(http)
        for number, event in enumerate(answer.events):
            if fault and number == fault.after:
                if fault.kind == "cut":
                    break
                if fault.kind == "malformed":
                    await out.write(b"data: {this is no JSON\n\nneither: a field\n\x00\xff\n\n")
                else:
                    await _break_off(http, fault)
            await out.write(event)
            if self.pace:
                await asyncio.sleep(self.pace)
        # A client may leave as soon as it has read the last event.
        with contextlib.suppress(ConnectionError):
            await out.write_eof()
        return out


def _wire(http: web.Request) -> tuple[Wire | None, bool | None]:
    """The language of a path, and whether the path itself asks for a stream."""
    path = http.path.removeprefix("/v1")
    if http.method != "POST":
        return None, None
    if ":generateContent" in path or ":streamGenerateContent" in path:
        return Gemini(), ":streamGenerateContent" in path
    found: dict[str, Wire] = {"/messages": Anthropic(), "/chat/completions": Chat(), "/responses": Responses()}
    return found.get(path), None


def _other(http: web.Request, raw: bytes) -> web.Response:
    if http.headers.get("upgrade", "").lower() == "websocket":
        return web.Response(status=426)
    if http.path.endswith("/count_tokens"):
        return web.json_response({"input_tokens": tokens(raw.decode())})
    if http.path.endswith(":countTokens"):
        return web.json_response({"totalTokens": tokens(raw.decode())})
    if http.path.endswith("/models"):
        return web.json_response({"object": "list", "data": [], "models": []})
    if http.method == "HEAD" or http.path.endswith("/hello"):
        return web.Response()
    return web.json_response({"error": {"message": f"no such path: {http.path}"}}, status=404)


def _key(http: web.Request) -> bool:
    named = ("authorization", "x-api-key", "x-goog-api-key")
    return any(http.headers.get(name) for name in named) or bool(http.query.get("key"))


def decoded(raw: bytes, encoding: str) -> bytes:
    """A body without its content encoding."""
    match encoding.lower():
        case "gzip":
            return gzip.decompress(raw)
        case "zstd":
            return zstandard.ZstdDecompressor().decompressobj().decompress(raw)
    return raw


async def _break_off(http: web.Request, fault: Fault) -> None:
    if fault.kind == "stall":
        await asyncio.sleep(fault.seconds)
        return
    _abort(http)
    raise asyncio.CancelledError


def _abort(http: web.Request) -> None:
    """Close the connection with a reset, so that the other side cannot take it for an end."""
    if http.transport is None:
        return
    connection = http.transport.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    http.transport.abort()
