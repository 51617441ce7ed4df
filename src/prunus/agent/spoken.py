"""The messages of a request that are the model's own, and where they stand among the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from prunus.agent.exchange import messages_of, top_of
from prunus.surrogates import decode

__all__ = ["by_model", "others_in", "spoken"]


def spoken(format: str, raws: Iterable[msgspec.Raw]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The index of each message of the model, how many before it are not the model's, and the message."""
    others = 0
    for index, raw in enumerate(raws):
        message = _of_model(format, bytes(raw))
        if message is None:
            others += 1
        else:
            yield index, others, message


def others_in(body: bytes, format: str) -> int:
    """How many messages of a body are not the model's, by which the next one is placed."""
    top = top_of(body)
    _, raws = messages_of(top, format)
    return sum(_of_model(format, bytes(raw)) is None for raw in raws)


def by_model(format: str, message: dict[str, Any]) -> bool:
    """Whether the model said this."""
    if format != "openai_responses":
        return message.get("role") == ("model" if format == "gemini" else "assistant")
    kind = str(message.get("type", "message"))
    return kind.endswith("_call") or kind == "reasoning" or message.get("role") == "assistant"


def _of_model(format: str, raw: bytes) -> dict[str, Any] | None:
    if format != "openai_responses" and (b'"model"' if format == "gemini" else b'"assistant"') not in raw:
        return None
    if format == "openai_responses" and b"_call_output" in raw[:200]:
        return None
    try:
        message = decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return message if isinstance(message, dict) and by_model(format, message) else None
