"""Anthropic Messages: content blocks, results inside user messages, signed thinking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.history import Attachment, Call, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.json.splice import Path
from prunus.providers.blocks import BlockReader, as_json, kind_of

_ROLES: dict[str, Role] = {"assistant": "assistant", "system": "system"}


def read_message(message: Mapping[str, Any], raw: bytes) -> Message:
    """One message of the `/v1/messages` body."""
    content = message.get("content")
    parts: list[Part] = []
    if isinstance(content, str):
        parts.append(Text(content, at=("content",)))
    elif isinstance(content, list):
        for i, block in enumerate(content):
            _read(block, ("content", i), parts)
    role = _ROLES.get(str(message.get("role")), "user")
    return Message(
        role,
        tuple(parts),
        raw,
        spoken=role == "user" and not any(isinstance(part, Result) for part in parts),
    )


def _read(block: Any, at: Path, parts: list[Part]) -> None:
    kind = kind_of(block)
    match kind:
        case "text" if isinstance(block.get("text"), str):
            parts.append(Text(block["text"], at=(*at, "text")))
        case "thinking":
            parts.append(Thinking(str(block.get("thinking", "")), len(str(block.get("signature", ""))), at=at))
        case "redacted_thinking":
            parts.append(Thinking("", len(str(block.get("data", ""))), at=at))
        case "tool_use" if isinstance(block.get("input"), dict):
            value = block["input"]
            parts.append(
                Call(str(block.get("id")), str(block.get("name")), value, as_json(value), at=(*at, "input"))
            )
        case "tool_result":
            id, error = str(block.get("tool_use_id")), block.get("is_error") is True
            fixed = "content" not in block
            content, place = block.get("content"), (*at, "content")
            parts += _BLOCKS.result(id, content, place, len(parts), error=error, fixed=fixed)
        case "image" | "document":
            parts.append(_attachment(block, at, None))
        case _:
            parts.append(Opaque(kind, as_json(block), at=at))


def _attachment(block: Mapping[str, Any], at: Path, inside: int | None) -> Attachment:
    source = block.get("source")
    source = source if isinstance(source, dict) else {}
    data = source.get("data")
    keep = {key: block[key] for key in ("cache_control",) if key in block}
    return Attachment(
        str(block.get("title") or source.get("url") or source.get("file_id") or block.get("type")),
        str(source.get("media_type") or block.get("type")),
        len(data) if isinstance(data, str) else 0,
        inside,
        block={"type": "text", **keep},
        at=at,
    )


_BLOCKS = BlockReader(frozenset({"text"}), frozenset({"image", "document"}), _attachment)
