"""Gemini generateContent: contents made of parts, some of them signed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.history import Attachment, Call, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.json.splice import Path
from prunus.providers.blocks import as_json

_ROLES: dict[str, Role] = {"model": "assistant", "function": "tool"}
_ANSWERS = ("output", "error", "content", "result")


def read_message(message: Mapping[str, Any], raw: bytes) -> Message:
    """One message of the `:generateContent` body."""
    parts: list[Part] = []
    listed = message.get("parts")
    for i, part in enumerate(listed if isinstance(listed, list) else ()):
        parts.append(_read(part, ("parts", i)))
    role = _ROLES.get(str(message.get("role")), "user")
    spoken = role == "user" and not any(isinstance(part, Result) for part in parts)
    return Message(role, tuple(parts), raw, spoken=spoken)


def _read(part: Any, at: Path) -> Part:
    if not isinstance(part, dict):
        return Opaque("unknown", as_json(part), at=at)
    signature = part.get("thoughtSignature")
    match part:
        case {"text": str(text), "thought": True}:
            return Thinking(text, len(str(signature or "")), fixed=bool(signature), at=at)
        case {"text": str(text)}:
            return Text(text, at=(*at, "text"))
        case {"functionCall": dict(call)}:
            arguments = call.get("args")
            arguments = arguments if isinstance(arguments, dict) else {}
            return Call(
                str(call.get("id") or ""),
                str(call.get("name")),
                arguments,
                as_json(arguments),
                fixed=bool(signature) or "args" not in call,
                at=(*at, "functionCall", "args"),
            )
        case {"functionResponse": dict(answer)}:
            return _result(answer, (*at, "functionResponse", "response"))
        case {"inlineData": dict(data)}:
            name = str(data.get("displayName") or "file")
            media = str(data.get("mimeType") or "")
            return Attachment(name, media, len(str(data.get("data", ""))), at=at)
        case {"fileData": dict(data)}:
            return Attachment(str(data.get("fileUri") or "file"), str(data.get("mimeType") or ""), 0, at=at)
    return Opaque("/".join(part), as_json(part), at=at)


def _result(answer: Mapping[str, Any], at: Path) -> Result:
    response = answer.get("response")
    id = str(answer.get("id") or "")
    if not isinstance(response, dict):
        return Result(id, "" if response is None else as_json(response))
    error = "error" in response
    key = next((key for key in _ANSWERS if isinstance(response.get(key), str)), None)
    if key is not None and len(response) == 1:
        return Result(id, response[key], error=error, at=(*at, key), texts=((*at, key),))
    return Result(id, as_json(response), error=error, shape="object", at=at)
