"""Answers of our own; errors have the form that the SDK of the provider expects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from prunus.proxy.peer import Message, Send

__all__ = ["answer_json", "answer_with", "refusal", "refuse"]

_KINDS: Final = {
    400: ("invalid_request_error", "INVALID_ARGUMENT"),
    401: ("authentication_error", "UNAUTHENTICATED"),
    403: ("permission_error", "PERMISSION_DENIED"),
    404: ("not_found_error", "NOT_FOUND"),
}
_OTHER: Final = ("api_error", "UNAVAILABLE")


def refusal(
    upstream: str, status: int, reason: str, more: Iterable[tuple[bytes, bytes]] = ()
) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of an error, as the provider would write it."""
    kind, name = _KINDS.get(status, _OTHER)
    message = f"Prunus: {reason}"
    match upstream:
        case "anthropic":
            value: object = {"type": "error", "error": {"type": kind, "message": message}}
        case "gemini":
            value = {"error": {"code": status, "message": message, "status": name}}
        case _:
            value = {"error": {"message": message, "type": kind, "param": None, "code": None}}
    body = msgspec.json.encode(value)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    return [*headers, (b"x-prunus-error", kind.encode())], body


async def answer_with(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    length = (b"content-length", str(len(body)).encode())
    start: Message = {"type": "http.response.start", "status": status, "headers": [*headers, length]}
    await send(start)
    await send({"type": "http.response.body", "body": body})


async def answer_json(send: Send, status: int, value: object) -> None:
    await answer_with(send, status, [(b"content-type", b"application/json")], msgspec.json.encode(value))


async def refuse(
    send: Send, upstream: str, status: int, reason: str, more: list[tuple[bytes, bytes]] | None = None
) -> None:
    headers, body = refusal(upstream, status, reason, more or [])
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
