"""Anthropic Messages: content blocks, results inside user messages, signed thinking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.history import Attachment, Call, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.providers.provider import as_json, kind_of, texts_of
from prunus.splice import Path

_ROLES: dict[str, Role] = {"assistant": "assistant", "system": "system"}
_TEXT = frozenset({"text"})
_FILES = frozenset({"image", "document"})


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
            _read_result(block, at, parts)
        case "image" | "document":
            parts.append(_attachment(block, at, None))
        case _:
            parts.append(Opaque(kind, as_json(block), at=at))


def _read_result(block: Mapping[str, Any], at: Path, parts: list[Part]) -> None:
    content = block.get("content")
    error = block.get("is_error")
    index = len(parts)
    inside: list[Part] = []
    text, defines = "", False
    texts: tuple[Path, ...] = ()
    pieces: tuple[str, ...] = ()
    place: Path = (*at, "content")
    if isinstance(content, str):
        text, texts = content, (place,)
    elif isinstance(content, list):
        pieces, texts = texts_of(content, place, _TEXT)
        for i, item in enumerate(content):
            kind = kind_of(item)
            if kind in _FILES:
                inside.append(_attachment(item, (*place, i), index))
            elif kind not in _TEXT:
                defines = defines or kind == "tool_reference"
                inside.append(Opaque(kind, as_json(item), index, at=(*place, i)))
    parts.append(
        Result(
            str(block.get("tool_use_id")),
            text or "\n".join(pieces),
            error=error is True,
            defines=defines,
            shape="string" if isinstance(content, str) else "blocks",
            at=place if "content" in block else (),
            texts=texts,
            pieces=pieces,
            mark=_mark(content),
        )
    )
    parts += inside


def _mark(content: object) -> Mapping[str, Any] | None:
    """The client's cache breakpoint inside a result's content."""
    if not isinstance(content, list):
        return None
    marks = [item["cache_control"] for item in content if isinstance(item, dict) and "cache_control" in item]
    return marks[-1] if marks else None


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
