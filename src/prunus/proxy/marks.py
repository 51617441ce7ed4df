"""The lifetime that the proxy gives the cache marks of a request."""

from __future__ import annotations

from prunus.outcome import Outcome
from prunus.providers import api_named
from prunus.proxy.exchange import Arrived
from prunus.settings import Settings


def sets_marks(settings: Settings, arrived: Arrived, body: bytes) -> bool:
    """Whether the proxy may give the cache marks of a request another lifetime, and the request has some."""
    changes = settings.cache.lifetime != "as sent" and not settings.proxy.shadow
    return changes and b'"cache_control"' in body and bool(api_named(arrived.route.format).lifetimes)


def with_lifetime(body: bytes, arrived: Arrived, outcome: Outcome[bytes]) -> bytes:
    """A body whose cache marks have the lifetime that was chosen for it."""
    if not outcome.lifetime:
        return body
    return api_named(arrived.route.format).with_lifetime(body, outcome.lifetime)
