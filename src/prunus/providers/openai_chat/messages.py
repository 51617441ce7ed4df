"""OpenAI Chat Completions, and the many servers that speak it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from prunus.history import Attachment, Call, Message, Opaque, Part, Role, Thinking
from prunus.json.splice import Path
from prunus.providers.blocks import BlockReader, as_json, data_url, decode_arguments, dicts, kind_of

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
THOUGHTS = ("reasoning_content", "reasoning")
"""The keys under which servers write the model's reasoning."""


def read_message(message: Mapping[str, Any], raw: bytes) -> Message:
    """One message of the `/v1/chat/completions` body."""
    role = _ROLES.get(str(message.get("role")), "user")
    parts: list[Part] = []
    # DeepSeek and Kimi refuse an assistant message with calls whose reasoning_content is missing or empty.
    for key in THOUGHTS:
        if isinstance(message.get(key), str):
            parts.append(Thinking(message[key], required=True, at=(key,)))
    if role == "tool":
        parts += _result(message, len(parts))
    else:
        parts += _BLOCKS.content(message.get("content"), ("content",))
    _read_calls(message, parts)
    return Message(role, tuple(parts), raw, spoken=role == "user")


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


def _result(message: Mapping[str, Any], index: int) -> tuple[Part, ...]:
    content, block = message.get("content"), "text"
    if isinstance(content, list):
        # Exports of other agents write their own block types; the first one names what an edit writes back.
        kinds = dict.fromkeys(kind_of(item) for item in dicts(content) if "text" in item)
        block = next(iter(kinds), "text") if "text" not in kinds else "text"
    reader = _BLOCKS if block == "text" else replace(_BLOCKS, texts=frozenset({block}))
    id, fixed = str(message.get("tool_call_id") or ""), "content" not in message
    return reader.result(id, content, ("content",), index, block=block, fixed=fixed)


def _attachment(block: Mapping[str, Any], at: Path, inside: int | None) -> Attachment:
    kind = kind_of(block)
    value = block.get(kind)
    value = value if isinstance(value, dict) else {}
    media, size = data_url(value.get("url") or value.get("file_data"))
    if kind == "input_audio":
        media, size = f"audio/{value.get('format', '')}", len(str(value.get("data", "")))
    name = value.get("filename") or value.get("file_id") or (kind if size else value.get("url")) or kind
    return Attachment(str(name), media or kind, size, inside, block={"type": "text"}, at=at)


_BLOCKS = BlockReader(frozenset({"text"}), frozenset({"image_url", "input_audio", "file"}), _attachment)
