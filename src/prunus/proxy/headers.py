"""Which headers are forwarded in both directions, and whose credentials they carry.

A caller is identified by a hash; the credential itself is neither stored nor shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final
from urllib.parse import parse_qsl

Headers = Sequence[tuple[bytes, bytes]]

_HOP: Final = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection",
        b"te", b"trailer", b"transfer-encoding", b"upgrade",
    }
)  # fmt: skip
"""Headers that belong to one connection only (RFC 9110, 7.6.1)."""
_OURS: Final = frozenset({b"host", b"content-length", b"expect"})
_OF_THE_BYTES: Final = frozenset({b"content-encoding", b"content-md5", b"content-digest", b"digest"})
"""What holds for the bytes of a body and not for another one."""


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """The values of a header, separated by commas; nothing where there is none."""
    return ", ".join(value.decode("latin-1") for key, value in headers if key.lower() == name)


def tokens_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> tuple[bytes, ...]:
    """The values of a header that is a list, in lower case; the header may be repeated."""
    lists = (value.lower().split(b",") for key, value in headers if key.lower() == name)
    return tuple(token for tokens in lists for token in map(bytes.strip, tokens) if token)


def ambiguity(headers: Headers) -> str:
    """Why a request could be understood in two ways, which the server's parser lets pass; empty where it cannot."""
    if sum(name.lower() == b"host" for name, _ in headers) > 1:
        return "the request names more than one Host"
    if tokens_of(headers, b"transfer-encoding") not in ((), (b"chunked",)):
        return "the request uses a transfer coding other than chunked"
    return ""


def request_headers(headers: Headers, *, changed: bool, plain: bool) -> list[tuple[bytes, bytes]]:
    """The headers for the upstream; those of them that begin with `x-prunus-` were meant for us.

    A `changed` body is not encoded. A `plain` answer is asked for without content encoding.
    """
    gone = _HOP | _OURS | {*tokens_of(headers, b"connection")} | (_OF_THE_BYTES if changed else frozenset())
    gone |= {b"accept-encoding"} if plain else frozenset()
    kept = [
        (name, value)
        for name, value in headers
        if (key := name.lower()) not in gone and not key.startswith(b"x-prunus-")
    ]
    return [*kept, (b"accept-encoding", b"identity")] if plain else kept


def answer_headers(headers: Headers, *, rewritten: bool = False) -> list[tuple[bytes, bytes]]:
    """The headers for the client; a `rewritten` answer has other bytes. Browsers get no leave to read it."""
    gone = _HOP | {*tokens_of(headers, b"connection")}
    gone |= _OF_THE_BYTES | {b"content-length"} if rewritten else frozenset()
    return [
        (key, value)
        for key, value in ((name.lower(), value) for name, value in headers)
        if key not in gone and not key.startswith(b"access-control-")
    ]


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
