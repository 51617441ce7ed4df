"""Answers that Prunus itself gives. Errors have the form that the SDK of the provider expects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from prunus.providers import APIS
from prunus.providers.openai_chat import OpenAIChat
from prunus.proxy.peer import Send

_KINDS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "request_too_large",
}


async def answer_with(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


async def answer_json(send: Send, status: int, value: object) -> None:
    await answer_with(send, status, [(b"content-type", b"application/json")], msgspec.json.encode(value))


async def refuse(
    send: Send, upstream: str, status: int, reason: str, more: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Answer with an error as the provider would write it; most servers write errors as OpenAI does."""
    kind = _KINDS.get(status, "api_error")
    api = next((api for api in APIS if api.upstream == upstream), OpenAIChat())
    body = msgspec.json.encode(api.refusal(status, kind, f"Prunus: {reason}"))
    headers = [(b"content-type", b"application/json"), *more, (b"x-prunus-error", kind.encode())]
    await answer_with(send, status, headers, body)
