"""The routing key of a request: what keeps a conversation on one replica.

Prunus finds a conversation by its messages, on every replica, so the bytes that it sends do not depend on this key.
A replica that already holds the conversation in memory only answers faster.

A load balancer sees headers and not bodies, so it hashes the first of `routing_headers()` that a request has. A
program that reads the body can use `routing_key`, which needs no header. The model is no part of the key: an agent
that changes the model goes on with the same history, and that history is what a replica holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from prunus import providers
from prunus.clients.dialect import dialects
from prunus.json.surrogates import encode
from prunus.providers.digest import unmarked

SESSION_HEADER: Final = "x-prunus-session"
"""The header by which any client can name its conversation; the proxy does not send it on."""
_SYSTEM: Final = tuple(key for provider in providers.ALL for key in provider.system_keys)
_MESSAGES: Final = tuple(provider.field for provider in providers.ALL)


class RoutingHeader(NamedTuple):
    """A header that names the conversation of a request."""

    name: str
    client: str
    """The coding agent that sends it; empty if any client may."""


@cache
def routing_headers() -> tuple[RoutingHeader, ...]:
    """The headers to hash on; the first one that a request has counts."""
    found = [RoutingHeader(SESSION_HEADER, "")]
    for client, dialect in dialects().items():
        found += [RoutingHeader(name, client) for name in dialect.session_headers]
    return tuple(found)


def conversation_key(headers: Mapping[str, str]) -> str:
    """What the client calls the conversation of a request; empty where it sends no header for that."""
    return next((value for name, _ in routing_headers() if (value := headers.get(name, ""))), "")


def routing_key(headers: Mapping[str, str], body: Mapping[str, Any]) -> str:
    """The routing key of a request, from its headers (in lower case) or else from its body, as JSON values.

    Without a header, `prompt_cache_key` counts. Without that, the key is a hash of the system text and of the
    messages up to the first one of the user. Cache markers do not count, because clients move them from request
    to request.
    """
    named = conversation_key(headers) or body.get("prompt_cache_key")
    if isinstance(named, str) and named:
        return named
    begin = unmarked({"system": [body.get(key) for key in _SYSTEM], "first": _first_messages(body)})
    return blake2b(encode(begin), digest_size=16).hexdigest()


def _first_messages(body: Mapping[str, Any]) -> list[Any]:
    """The messages of a body up to the first one of the user."""
    messages = next((body[key] for key in _MESSAGES if key in body), None)
    if not isinstance(messages, list):
        return [messages]
    for i, message in enumerate(messages):
        if isinstance(message, dict) and message.get("role") in ("user", None):
            return messages[: i + 1]
    return messages[:1]
