"""HTTP clients that prune, for the SDKs of providers: `Anthropic(http_client=prunus.httpx_client())`.

Prunus is a transport before the client's own one, for httpx or any library with its interface. What comes back is
the response of the inner transport, untouched: streams stream as before.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar, Final

from prunus.errors import FormatError
from prunus.integrations.integration import Integration
from prunus.providers import APIS
from prunus.proxy.envelope import read_envelope
from prunus.pruner import Pruner
from prunus.settings import Settings

_FRAMING: Final = (b"content-length", b"transfer-encoding")
"""Headers that say how long the body is; the library writes them anew."""


def httpx_client(
    http: Any = None, *, pruner: Pruner | None = None, settings: Settings | None = None, **options: Any
) -> Any:
    """Return a client that prunes requests to a model; the options are those of `httpx.Client`.

    `http` is the library to use: by default the module `httpx2`, if it is installed, or else `httpx`. If an SDK
    refuses the client of one library, give the other.
    """
    http = http or _library()
    transport, _ = transports(http)
    client = http.Client(**{"follow_redirects": True, **options})
    return _wrapped(client, transport, pruner, settings)


def async_httpx_client(
    http: Any = None, *, pruner: Pruner | None = None, settings: Settings | None = None, **options: Any
) -> Any:
    """Return the same client for asynchronous SDKs; the options are those of `httpx.AsyncClient`."""
    http = http or _library()
    _, transport = transports(http)
    client = http.AsyncClient(**{"follow_redirects": True, **options})
    return _wrapped(client, transport, pruner, settings)


def _library() -> Any:
    """Return the HTTP library that is installed."""
    return import_module("httpx2" if find_spec("httpx2") else "httpx")


def _wrapped(client: Any, transport: Any, pruner: Pruner | None, settings: Settings | None) -> Any:
    # A client that is given a transport ignores the proxies of the environment, and its options for TLS and limits.
    # So the client makes its own transports, and Prunus stands before each of them.
    client._transport = transport(client._transport, pruner=pruner, settings=settings)
    client._mounts = {
        pattern: None if inner is None else transport(inner, pruner=pruner, settings=settings)
        for pattern, inner in client._mounts.items()
    }
    return client


class _Transport(Integration):
    """Has an inner transport, by which it sends."""

    default: ClassVar[Any]
    """Makes the inner transport if none is given."""

    def __init__(
        self, inner: Any = None, *, pruner: Pruner | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__(pruner=pruner, settings=settings)
        self.inner = inner if inner is not None else type(self).default()


class SyncTransport(_Transport):
    """Sends requests by an inner transport, after pruning those that ask a model for an answer."""

    def handle_request(self, request: Any) -> Any:
        """The response to a request."""
        if _is_readable(request):
            request.read()
            request = _pruned(self, request)
        return self.inner.handle_request(request)

    def close(self) -> None:
        """Close the inner transport."""
        self.inner.close()


class AsyncTransport(_Transport):
    """The same for asynchronous clients; the pruning happens beside the event loop."""

    async def handle_async_request(self, request: Any) -> Any:
        """The response to a request."""
        from anyio import to_thread  # httpx brings it, and an event loop may be that of trio

        if _is_readable(request):
            await request.aread()
            request = await to_thread.run_sync(_pruned, self, request)
        return await self.inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self.inner.aclose()


def transports(http: Any) -> tuple[type[SyncTransport], type[AsyncTransport]]:
    """The two transports for a library: `httpx`, or one with the same interface."""
    return (
        type("PruningTransport", (SyncTransport, http.BaseTransport), {"default": http.HTTPTransport}),
        type(
            "AsyncPruningTransport", (AsyncTransport, http.AsyncBaseTransport), {"default": http.AsyncHTTPTransport}
        ),
    )


def _is_readable(request: Any) -> bool:
    """Whether a request may hold a history: JSON that is sent to be answered."""
    headers = request.headers
    return (
        request.method == "POST"
        and headers.get("content-type", "").startswith("application/json")
        and "content-encoding" not in headers
    )


def _pruned(integration: Integration, request: Any) -> Any:
    """The request to send: the given one, or a copy of it with a shorter body."""

    def pruned() -> Any:
        body = prune_request(integration, request.url.path, request.content)
        if body == request.content:
            return request
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in _FRAMING]
        return type(request)(
            request.method, request.url, headers=headers, content=body, extensions=request.extensions
        )

    return integration.safely(request, pruned)


def prune_request(integration: Integration, path: str, body: bytes) -> bytes:
    """The bytes to send for an HTTP request to this path.

    Only a path that asks a model for an answer is looked at. A request without tools, or for a summary of the
    history, gets no new edits, but goes out with those that its conversation has: so it finds the cached prefix.
    """
    found = ((api, api.endpoint(path)) for api in APIS)
    api, endpoint = next(((api, endpoint) for api, endpoint in found if endpoint is not None), (None, None))
    if api is None or endpoint is None:
        return body
    try:
        hold = bool(read_envelope(body, api.name).hold)
    except FormatError as error:
        return integration.failed(body, error).body
    return integration.prune(body, format=api.name, model=endpoint.model, hold=hold).body
