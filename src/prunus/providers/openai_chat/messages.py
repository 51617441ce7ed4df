"""OpenAI Chat Completions, and the many servers that speak it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.history import Attachment, Call, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.providers.provider import as_json, data_url, decode_arguments, kind_of, texts_of
from prunus.splice import Path

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
THOUGHTS = ("reasoning_content", "reasoning")
"""The keys under which servers write the model's reasoning."""
_FILES = frozenset({"image_url", "input_audio", "file"})


def read_message(message: Mapping[str, Any], raw: bytes) -> Message:
    """One message of the `/v1/chat/completions` body."""
    role = _ROLES.get(str(message.get("role")), "user")
    parts: list[Part] = []
    # DeepSeek and Kimi refuse an assistant message with calls whose reasoning_content is missing or empty.
    for key in THOUGHTS:
        if isinstance(message.get(key), str):
            parts.append(Thinking(message[key], required=True, at=(key,)))
    if role == "tool":
        _read_result(message, parts)
    else:
        _read_content(message.get("content"), parts)
    _read_calls(message, parts)
    return Message(role, tuple(parts), raw, spoken=role == "user")


def _read_content(content: object, parts: list[Part]) -> None:
    if isinstance(content, str):
        parts.append(Text(content, at=("content",)))
        return
    for i, block in enumerate(content if isinstance(content, list) else ()):
        at: Path = ("content", i)
        kind = kind_of(block)
        if kind == "text" and isinstance(block.get("text"), str):
            parts.append(Text(block["text"], at=(*at, "text")))
        elif kind in _FILES:
            parts.append(_attachment(block, at, None))
        else:
            parts.append(Opaque(kind, as_json(block), at=at))


def _read_calls(message: Mapping[str, Any], parts: list[Part]) -> None:
    calls = message.get("tool_calls")
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        at: Path = ("tool_calls", i)
        function = call.get("function") if isinstance(call, dict) else None
        custom = call.get("custom") if isinstance(call, dict) else None
        if isinstance(function, dict):
            parts.append(_call(str(call.get("id")), function, (*at, "function")))
        elif isinstance(custom, dict) and isinstance(custom.get("input"), str):
            text = custom["input"]
            parts.append(
                Call(str(call.get("id")), str(custom.get("name")), text, text, at=(*at, "custom", "input"))
            )
        else:
            parts.append(Opaque("tool_call", as_json(call), at=at))
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        parts.append(_call("", legacy, ("function_call",)))


def _call(id: str, function: Mapping[str, Any], at: Path) -> Call:
    arguments = function.get("arguments", "")
    quoted = isinstance(arguments, str)
    return Call(
        id,
        str(function.get("name")),
        decode_arguments(arguments),
        arguments if quoted else as_json(arguments),
        quoted=quoted,
        fixed="arguments" not in function,
        at=(*at, "arguments"),
    )


def _read_result(message: Mapping[str, Any], parts: list[Part]) -> None:
    content = message.get("content")
    place: Path = ("content",)
    index = len(parts)
    inside: list[Part] = []
    text, block = "", "text"
    texts: tuple[Path, ...] = ()
    pieces: tuple[str, ...] = ()
    if isinstance(content, str):
        text, texts = content, (place,)
    elif isinstance(content, list):
        worded = (item for item in content if isinstance(item, dict) and "text" in item)
        kinds = dict.fromkeys(kind_of(item) for item in worded)
        # Exports of other agents write their own block types; the first one names what an edit writes back.
        block = next((kind for kind in kinds if kind != "text"), "text") if "text" not in kinds else "text"
        pieces, texts = texts_of(content, place, frozenset({block}))
        for i, item in enumerate(content):
            kind = kind_of(item)
            if kind in _FILES:
                inside.append(_attachment(item, (*place, i), index))
            elif kind != block:
                inside.append(Opaque(kind, as_json(item), index, at=(*place, i)))
    parts.append(
        Result(
            str(message.get("tool_call_id") or ""),
            text or "\n".join(pieces),
            shape="string" if isinstance(content, str) else "blocks",
            block=block,
            at=place if "content" in message else (),
            texts=texts,
            pieces=pieces,
            mark=next((b["cache_control"] for b in reversed(content) if "cache_control" in b), None)
            if isinstance(content, list) and all(isinstance(b, dict) for b in content)
            else None,
        )
    )
    parts += inside


def _attachment(block: Mapping[str, Any], at: Path, inside: int | None) -> Attachment:
    kind = kind_of(block)
    value = block.get(kind)
    value = value if isinstance(value, dict) else {}
    media, size = data_url(value.get("url") or value.get("file_data"))
    if kind == "input_audio":
        media, size = f"audio/{value.get('format', '')}", len(str(value.get("data", "")))
    name = value.get("filename") or value.get("file_id") or (kind if size else value.get("url")) or kind
    return Attachment(str(name), media or kind, size, inside, block={"type": "text"}, at=at)
