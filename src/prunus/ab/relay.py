"""A relay just before the provider: it passes everything on and keeps requests, answers and usage.

Both arms of a comparison use the same relay, so both are measured in the same way. It shares no code with the proxy
whose effect is measured, apart from the choice of the upstream.
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
"""Headers that belong to one connection, and the encodings: the relay wants to read the answers."""
_SECONDS: Final = 600.0
"""How long the relay waits for the next bytes of an answer."""
_CHUNK: Final = 65_536


class Relay:
    """Listens on a free port of this machine between `with` and its end."""

    def __init__(self, upstreams: Mapping[str, str], fallback: str, meter: Meter, folder: Path) -> None:
        """`upstreams` are addresses by name; `folder` gets the transcript."""
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
        """Where a request goes."""
        return route(method, path, {name.lower() for name in headers}, self._fallback)

    def refusal(self, model: str) -> str:
        """Why a request to a model may not be sent; empty if it may."""
        return self._meter.admit(model)

    def ask(self, method: str, way: Route, query: str, headers: Mapping[str, str], body: bytes) -> HTTPResponse:
        """The answer of the provider, not read yet. Raises OSError or HTTPException if the provider is silent."""
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
        """Number an exchange, and add it to the transcript and to the bill."""
        with self._lock:
            append(self._folder, replace(exchange, number=self._count))
            self._count += 1
        self._meter.charge(exchange)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Leave redirects to the client."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that leaves is no fault of the relay."""


class _Handler(BaseHTTPRequestHandler):
    relay: Relay
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing; the transcript tells."""

    def handle_one_request(self) -> None:
        # Any method: the base class would look for do_GET, do_POST and so on.
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
            # The client sends its next request behind this, so the exchanges are kept in their order.
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
        """Pass an answer on as it comes; True if only the end of its last chunk is left to send."""
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
            # The answer is read to its end even if the client has left: the provider charges for it.
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
    """The exchange with its answer, and with what the provider says that it took."""
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
    """The bytes without their content encoding, as far as that can be read."""
    if not encoding or not can_decode(encoding):
        return raw
    try:
        return decoder_of(encoding).feed(raw)
    except Exception:  # each library has its own errors, and what cannot be read is kept as it came
        return raw
