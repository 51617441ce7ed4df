"""The address of a store on a server, `SCHEME://USER:PASSWORD@HOST:PORT/DATABASE?OPTIONS`."""

from __future__ import annotations

from typing import Final

SERVERS: Final = ("postgresql", "redis", "rediss")


def is_server(url: str) -> bool:
    """Return whether a store is on a server, and not in a file."""
    return url.partition("://")[0] in SERVERS


def without_password(url: str) -> str:
    """Return an address as people may see it, without password and options. Other URLs come back unchanged."""
    if not is_server(url):
        return url
    scheme, separator, rest = url.partition("://")
    credentials, at, place = rest.partition("?")[0].rpartition("@")
    user = credentials.partition(":")[0]
    return f"{scheme}{separator}{user}{at if user else ''}{place}"
