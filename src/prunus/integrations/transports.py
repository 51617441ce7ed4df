"""Transports that prune requests to a model, for any library with the interface of httpx.

What comes back is the response of the inner transport, untouched: streams stream as before.
"""

from __future__ import annotations

from typing import Any, ClassVar

from prunus.integrations.integration import Integration
from prunus.integrations.wire import prune_request
from prunus.proxy.routing import conversation_key
from prunus.pruner import Pruner
from prunus.settings import Settings


class _Transport(Integration):
    """Has an inner transport, by which it sends."""

    default: ClassVar[Any]
    """Makes the inner transport where none is given."""

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
        key = conversation_key(request.headers)
        body = prune_request(integration, request.url.path, request.content, key)
        if body == request.content:
            return request
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in _FRAMING]
        return type(request)(
            request.method, request.url, headers=headers, content=body, extensions=request.extensions
        )

    return integration.safely(request, pruned)


_FRAMING = (b"content-length", b"transfer-encoding")
"""Headers that say how long the body is; the library writes them anew."""
