"""A relay in front of the provider: it forwards every request, and records requests, answers and usage.

Both arms of a trial use the same relay, so both are measured in the same way. Apart from the choice of the
upstream, the relay shares no code with the proxy, because the effect of the proxy is what a trial measures.
"""

from __future__ import annotations

import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import msgspec

from prunus.ab.exchanges import Meter, RelayedExchange, append, model_of, usage_in
from prunus.proxy.encoding import can_decode, decoder_of
from prunus.proxy.route import Route, join, route

_HOPS: Final = frozenset(
    ("host", "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
     "content-length", "accept-encoding", "expect")
)  # fmt: skip
"""Headers that belong to one connection, and `accept-encoding`, because the relay must read the answers."""
_SECONDS: Final = 600.0
"""Seconds that the relay waits for the next bytes of an answer."""
_CHUNK: Final = 65_536


class Relay:
    """A server on a free port of this machine; it runs inside a `with` block."""

    def __init__(self, upstreams: Mapping[str, str], fallback: str, meter: Meter, folder: Path) -> None:
        """`upstreams` has the address of each provider by name; the transcript goes to `folder`."""
        self._upstreams = upstreams
        self._fallback = fallback
        self._meter = meter
        self._folder = folder
        self._count = 0
        self._lock = threading.Lock()
        self._opener = urllib.request.build_opener(_NoRedirects())
        self._server = _Server(("127.0.0.1", 0), type("_Handler", (_Handler,), {"relay": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="prunus-relay")
        self._thread.daemon = True

    @property
    def url(self) -> str:
        """The base URL, without a version."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Relay:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def route(self, method: str, path: str, headers: Mapping[str, str]) -> Route:
        """Return the upstream and the path that a request goes to."""
        return route(method, path, {name.lower() for name in headers}, self._fallback)

    def refusal(self, model: str) -> str:
        """Return why a request to a model must not be sent; empty if it may be sent."""
        return self._meter.admit(model)

    def ask(self, method: str, way: Route, query: str, headers: Mapping[str, str], body: bytes) -> HTTPResponse:
        """Send a request, and return the unread answer. Raises OSError or HTTPException if there is none."""
        kept = {name: value for name, value in headers.items() if name.lower() not in _HOPS}
        kept["Accept-Encoding"] = "identity"
        url = join(self._upstreams.get(way.upstream, self._upstreams[self._fallback]), way.path)
        request = urllib.request.Request(f"{url}?{query}" if query else url, body or None, kept, method=method)
        try:
            answer: Any = self._opener.open(request, timeout=_SECONDS)
        except urllib.error.HTTPError as error:
            answer = error
        return answer  # type: ignore[no-any-return]  # an HTTPError is a response too

    def keep(self, exchange: RelayedExchange) -> None:
        """Number an exchange, append it to the transcript, and count its cost."""
        with self._lock:
            append(self._folder, replace(exchange, number=self._count))
            self._count += 1
        self._meter.charge(exchange)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Do not follow a redirect: the client decides."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a client may close its connection at any time."""


class _Handler(BaseHTTPRequestHandler):
    relay: Relay
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the transcript has every request."""

    def handle_one_request(self) -> None:
        # The base class would look for a method of this class for each HTTP method: do_GET, do_POST and so on.
        self.raw_requestline = self.rfile.readline(_CHUNK)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        self._pass_on()
        self.wfile.flush()

    def _pass_on(self) -> None:
        begun = time.time()
        if "upgrade" in self.headers:
            self._say(426, "the relay speaks HTTP only")
            return
        sent = b"".join(self._body())
        body = _decoded(sent, self.headers.get("content-encoding", ""))
        path, _, query = self.path.partition("?")
        headers = dict(self.headers.items())
        way = self.relay.route(self.command, path, headers)
        model = model_of(body) or way.model
        refusal = self.relay.refusal(model)
        if refusal:
            self._say(402, refusal)
            return
        asked = RelayedExchange(0, begun, 0.0, self.command, self.path, 0, body.decode(errors="replace"), "", model)
        try:
            answer = self.relay.ask(self.command, way, query, headers, sent)
        except (OSError, HTTPException) as error:
            self.relay.keep(replace(asked, seconds=time.time() - begun, answer=str(error)))
            self._say(502, f"the provider does not answer: {error}")
            return
        held = bytearray()
        ends = False
        try:
            ends = self._answer(answer, held)
        finally:
            text = _decoded(bytes(held), answer.headers.get("content-encoding", ""))
            self.relay.keep(_answered(asked, answer.status, text))
        if ends:
            # The client sends its next request only after this chunk, so the transcript keeps their order.
            with suppress(OSError):
                self.wfile.write(b"0\r\n\r\n")

    def _body(self) -> Iterator[bytes]:
        if "chunked" not in self.headers.get("transfer-encoding", "").lower():
            yield self.rfile.read(int(self.headers.get("content-length") or 0))
            return
        while size := int(self.rfile.readline(_CHUNK).split(b";")[0] or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline(_CHUNK)
        while self.rfile.readline(_CHUNK).strip():
            pass

    def _answer(self, answer: HTTPResponse, held: bytearray) -> bool:
        """Forward an answer as it comes. Return whether only its final empty chunk remains to be sent."""
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.headers.items():
            if name.lower() not in _HOPS:
                self.send_header(name, value)
        bodiless = self.command == "HEAD" or answer.status in (204, 304)
        if not bodiless:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        gone = False
        with answer:
            # Read the answer to its end even if the client is gone: the provider charges for all of it.
            while chunk := answer.read1(_CHUNK):
                held += chunk
                if gone or bodiless:
                    continue
                try:
                    self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                except OSError:
                    gone = self.close_connection = True
        return not gone and not bodiless

    def _say(self, status: int, message: str) -> None:
        said = msgspec.json.encode({"type": "error", "error": {"type": "relay", "message": message}})
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(said)


def _answered(asked: RelayedExchange, status: int, answer: bytes) -> RelayedExchange:
    """Return the exchange with its answer and the usage that the provider reported."""
    usage, long_writes = usage_in(answer) if asked.model and 200 <= status < 300 else (None, 0)
    return replace(
        asked,
        seconds=time.time() - asked.time,
        status=status,
        answer=answer.decode(errors="replace"),
        usage=usage,
        long_writes=long_writes,
    )


def _decoded(raw: bytes, encoding: str) -> bytes:
    """Return the decoded bytes, or the bytes as they came if their content encoding cannot be read."""
    if not encoding or not can_decode(encoding):
        return raw
    try:
        return decoder_of(encoding).feed(raw)
    except Exception:  # Each library has its own errors.
        return raw
