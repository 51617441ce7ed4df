"""What the model said in a hop: as it goes back to the model, and by what its reasoning is known again."""

from __future__ import annotations

from typing import Any

from prunus.agent.exchange import ordered_like, top_of
from prunus.providers import Frame
from prunus.surrogates import decode

__all__ = ["as_sent", "thoughts_of"]


def as_sent(said: list[Any], format: str, body: bytes, arrived: Frame) -> list[Any]:
    """What the model said, as it may go back: ids of items only where the provider keeps them.

    Keys come in the order in which the client writes reasoning, as it will write this.
    """
    if format != "openai_responses":
        return said
    copy = _newest_reasoning(arrived)
    said = [ordered_like(item, copy) if item.get("type") == "reasoning" else item for item in said]
    top = top_of(body)
    if bytes(top.get("store", b"true")) != b"false":
        return said
    # Without a store an id names nothing, and reasoning is only understood by its encrypted content.
    kept = [item for item in said if item.get("type") != "reasoning" or item.get("encrypted_content")]
    return [{key: value for key, value in item.items() if key != "id"} for item in kept]


def _newest_reasoning(arrived: Frame) -> dict[str, Any]:
    """The client's copy of the reasoning that it sends last; empty where it sends none."""
    for index in reversed(range(len(arrived))):
        raw = arrived.raw(index)
        item = decode(raw) if b'"reasoning"' in raw else None
        if isinstance(item, dict) and item.get("type") == "reasoning":
            return item
    return {}


def thoughts_of(said: list[Any]) -> list[str]:
    """What tells the reasoning of a hop apart: signatures, encrypted content, or the words."""
    found = []
    for message in said:
        for block in message.get("content") or () if isinstance(message.get("content"), list) else ():
            if isinstance(block, dict) and block.get("type") in ("thinking", "redacted_thinking"):
                found.append(block.get("signature") or block.get("data") or block.get("thinking") or "")
        if message.get("type") == "reasoning":
            found.append(message.get("encrypted_content") or message.get("id") or "")
        found += (message[key] for key in ("reasoning_content", "reasoning") if isinstance(message.get(key), str))
    return [str(thought) for thought in found if thought]
