"""OpenAI Responses: a flat list of items; several items make one model step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.history import Attachment, Call, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.providers.provider import as_json, data_url, decode_arguments, kind_of, texts_of
from prunus.splice import Path

_ROLES: dict[str, Role] = {"system": "system", "developer": "system", "assistant": "assistant", "user": "user"}
_TEXT = frozenset({"input_text", "output_text", "text"})
_FILES = frozenset({"input_image", "input_file", "input_audio"})
_DEFINITIONS = frozenset({"additional_tools", "tool_search_output", "mcp_list_tools"})


def read_message(message: Mapping[str, Any], raw: bytes) -> Message:
    """One message of the `/v1/responses` body."""
    kind = message.get("type", "message")
    role: Role = "assistant"
    part: Part
    match kind:
        case "message":
            role = _ROLES.get(str(message.get("role")), "user")
            parts = _content(message.get("content"))
            return Message(role, parts, raw, joins=role == "assistant", spoken=role == "user")
        case "function_call":
            arguments = message.get("arguments", "")
            part = Call(
                str(message.get("call_id")),
                str(message.get("name")),
                decode_arguments(arguments),
                arguments if isinstance(arguments, str) else as_json(arguments),
                quoted=isinstance(arguments, str),
                fixed="arguments" not in message,
                at=("arguments",),
            )
        case "custom_tool_call" if isinstance(message.get("input"), str):
            text = message["input"]
            part = Call(str(message.get("call_id")), str(message.get("name")), text, text, at=("input",))
        case "local_shell_call" if isinstance(message.get("action"), dict):
            # An action has required fields beside its command, so it stays whole.
            action = message["action"]
            part = Call(
                str(message.get("call_id")), "local_shell", action, as_json(action), fixed=True, at=("action",)
            )
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            return Message("tool", _result(message), raw)
        case "reasoning":
            summary = message.get("summary")
            text = "\n".join(
                str(item.get("text", ""))
                for item in (summary if isinstance(summary, list) else ())
                if isinstance(item, dict)
            )
            # With an id the next item is bound to it: "provided without its required reasoning item".
            part = Thinking(text, len(str(message.get("encrypted_content") or "")), fixed=bool(message.get("id")))
        case _:
            name = str(kind)
            role = "assistant" if name.endswith("_call") else "tool" if name.endswith("_output") else "system"
            part = Opaque(name, as_json(message))
    return Message(role, (part,), raw, joins=role == "assistant", definitions=str(kind) in _DEFINITIONS)


def _content(content: object) -> tuple[Part, ...]:
    if isinstance(content, str):
        return (Text(content, at=("content",)),)
    parts: list[Part] = []
    for i, block in enumerate(content if isinstance(content, list) else ()):
        at: Path = ("content", i)
        kind = kind_of(block)
        if kind in _TEXT and isinstance(block.get("text"), str):
            parts.append(Text(block["text"], at=(*at, "text")))
        elif kind in _FILES:
            parts.append(_attachment(block, at, None))
        else:
            parts.append(Opaque(kind, as_json(block), at=at))
    return tuple(parts)


def _result(item: Mapping[str, Any]) -> tuple[Part, ...]:
    output = item.get("output")
    place: Path = ("output",)
    text = ""
    texts: tuple[Path, ...] = ()
    pieces: tuple[str, ...] = ()
    inside: list[Part] = []
    if isinstance(output, str):
        text, texts = output, (place,)
    elif isinstance(output, list):
        pieces, texts = texts_of(output, place, _TEXT)
        for i, block in enumerate(output):
            kind = kind_of(block)
            if kind in _FILES:
                inside.append(_attachment(block, (*place, i), 0))
            elif kind not in _TEXT:
                inside.append(Opaque(kind, as_json(block), 0, at=(*place, i)))
    result = Result(
        str(item.get("call_id") or item.get("id")),
        text or "\n".join(pieces),
        shape="string" if isinstance(output, str) else "blocks",
        block="input_text",
        at=place if isinstance(output, str | list) else (),
        texts=texts,
        pieces=pieces,
    )
    return (result, *inside)


def _attachment(block: Mapping[str, Any], at: Path, inside: int | None) -> Attachment:
    kind = kind_of(block)
    media, size = data_url(block.get("image_url") or block.get("file_data"))
    name = block.get("filename") or block.get("file_id") or (kind if size else block.get("image_url")) or kind
    return Attachment(str(name), media or kind, size, inside, block={"type": "input_text"}, at=at)
