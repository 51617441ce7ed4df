"""Who pays for a request, told apart by a hash: the credential itself is neither kept nor shown."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final
from urllib.parse import parse_qsl

from prunus.proxy.headers import Headers

_HEADERS: Final = frozenset({b"authorization", b"x-api-key", b"x-goog-api-key", b"api-key", b"cookie"})
_QUERY: Final = frozenset({"key", "api_key", "access_token"})


def caller_of(headers: Headers, query: str) -> str:
    """A name for the credentials of a request; those of all requests without any are one."""
    given = [(name.lower(), value) for name, value in headers if name.lower() in _HEADERS]
    given += [
        (name.encode(), value.encode("utf-8", "surrogateescape"))
        for name, value in parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
        if name in _QUERY
    ]
    if not given:
        return ""
    whole = blake2b(digest_size=16)
    for name, value in sorted(given):
        whole.update(b"%d:%b%d:%b" % (len(name), name, len(value), value))
    return whole.hexdigest()
