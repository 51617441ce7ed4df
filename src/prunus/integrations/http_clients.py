"""HTTP clients that prune, for the SDKs of providers: `Anthropic(http_client=prunus.httpx_client())`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from prunus.integrations.transports import transports
from prunus.pruner import Pruner
from prunus.settings import Settings


def httpx_client(
    http: Any = None, *, pruner: Pruner | None = None, settings: Settings | None = None, **options: Any
) -> Any:
    """A client that prunes requests to a model; the options are those of `httpx.Client`.

    `http` is the library: the module `httpx2`, where it is installed, or else `httpx`. An SDK that refuses the
    client of one of them takes that of the other.
    """
    http = http or _library()
    transport, _ = transports(http)
    client = http.Client(**{"follow_redirects": True, **options})
    return _wrapped(client, transport, pruner, settings)


def async_httpx_client(
    http: Any = None, *, pruner: Pruner | None = None, settings: Settings | None = None, **options: Any
) -> Any:
    """The same for asynchronous SDKs; the options are those of `httpx.AsyncClient`."""
    http = http or _library()
    _, transport = transports(http)
    client = http.AsyncClient(**{"follow_redirects": True, **options})
    return _wrapped(client, transport, pruner, settings)


def _library() -> Any:
    """The HTTP library that is installed."""
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
