"""The client's side of HTTP/1.1: uvicorn's, corrected where it differs from a direct connection."""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Coroutine
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

_BODILESS: Final = (204, 304)
_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER: on, for no time; closing then resets the connection."""


class ClientConnection(HttpToolsProtocol):
    """One connection of a client."""

    _offer: tuple[tuple[bytes, bytes], ...] = ()
    """The headers by which a client offers another protocol."""
    _answering: RequestResponseCycle | None = None
    """The newest request that is being answered, or was; requests behind it wait."""

    @property
    def app(self) -> Any:
        """What uvicorn calls for each request. It is not stored, because it would keep the connection alive."""
        return self._answer

    @app.setter
    def app(self, app: Any) -> None:
        self._app = app

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request; uvicorn gives a bound method of the request's cycle as `send`."""
        cycle: _Cycle = send.__self__
        self._answering = cycle
        try:
            await self._app(scope, receive, send)
        except BaseException:  # Also when cancelled: half an answer must not look whole.
            cycle.cut_off()
            raise

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offered:
            if self.parser.get_method() == b"CONNECT":
                self.send_400_response("This is no proxy for CONNECT.")
            else:
                self._decline(data[offered.args[0] :])
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        super().on_headers_complete()
        self.scope["headers"] = [*self.headers, *self._offer]
        self._offer = ()
        # The parser reports trailers as headers; they come behind the body and must not join those of the request.
        self.headers = []
        self.cycle.__class__ = _Cycle

    def connection_lost(self, exc: Exception | None) -> None:
        # If a second request waits, uvicorn tells only that one; the first is the one that costs tokens.
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)

    def on_message_complete(self) -> None:
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def _decline(self, rest: bytes) -> None:
        """Read a request that offers another protocol as one that does not: the parser would skip its body."""
        head = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())]
        head += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        self._offer = tuple((name, value) for name, value in self.headers if name == b"upgrade")
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self.data_received(b"\r\n".join([*head, b"", rest]))

    def send_400_response(self, msg: str) -> None:
        if self.cycle is None or self.cycle.response_complete:
            super().send_400_response(msg)
        else:
            # The bytes behind a request are no request: that must not cut the answer to the request before.
            self.cycle.keep_alive = False
            self.flow.pause_reading()


class _Cycle(RequestResponseCycle):
    """One request and its answer."""

    _until_close = False
    """Whether the answer ends with the connection: HTTP/1.0 knows no chunks."""

    def send(self, message: Any) -> Coroutine[Any, Any, None]:
        # Called for each piece of an answer, so it adds no coroutine of its own.
        if message["type"] == "http.response.start":
            return self._send_head(message)
        if self._until_close and not message.get("more_body", False):
            self.expected_content_length = len(message.get("body", b""))
        return super().send(message)

    async def _send_head(self, message: Any) -> None:
        status, method = message["status"], self.scope["method"]
        STATUS_LINE.setdefault(status, b"HTTP/1.1 %d \r\n" % status)
        sized = any(name.lower() == b"content-length" for name, _ in message["headers"])
        bodiless = method == "HEAD" or status in _BODILESS
        self._until_close = self.scope["http_version"] == "1.0" and not sized and not bodiless
        if self._until_close:
            self.scope["method"] = "HEAD"  # to the answer of which uvicorn adds no transfer coding
        try:
            await super().send(message)
        finally:
            self.scope["method"] = method
        if self._until_close:
            self.expected_content_length = sys.maxsize
        elif bodiless:
            # The length that is named is that of a body which does not come.
            self.expected_content_length = 0
            self.chunked_encoding = False

    def cut_off(self) -> None:
        """Reset a connection whose end would be the end of an answer, so that half of it does not look whole."""
        if not self._until_close:
            return
        line = self.transport.get_extra_info("socket")
        if line is not None and not self.transport.is_closing():
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()
