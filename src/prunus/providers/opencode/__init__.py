"""OpenCode's own messages, as its plugins see them: a list of `{info, parts}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from prunus.history import Attachment, Call, Marker, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.json.splice import Path
from prunus.providers.blocks import as_json, data_url, kind_of, listed
from prunus.providers.hidden_calls import numbered
from prunus.providers.provider import Provider

_COPIED_ANEW: Final = ("id", "sessionID", "messageID", "parentID")
"""The keys that OpenCode gives new values when it copies a message into a fork."""
_MARKERS = frozenset({"step-start", "step-finish"})
_IDENTITY = ("id", "sessionID", "messageID")


class OpenCode(Provider):
    """The messages of an OpenCode session."""

    name: ClassVar[str] = "opencode"
    field: ClassVar[str] = "messages"
    bare_list: ClassVar[bool] = True

    def claims_message(self, message: Mapping[str, Any]) -> bool:
        return "info" in message and "parts" in message

    def parse(self, message: Mapping[str, Any], raw: bytes) -> Message:
        info = message.get("info")
        role: Role = "assistant" if isinstance(info, dict) and info.get("role") == "assistant" else "user"
        parts: list[Part] = []
        for i, part in enumerate(listed(message.get("parts"))):
            _read(part, ("parts", i), parts)
        return Message(role, tuple(parts), raw, spoken=role == "user")

    def identity(self, message: dict[str, Any]) -> dict[str, Any]:
        return {"info": _own(message["info"]), "parts": [_own(part) for part in message["parts"]]}


def _own(record: Any) -> Any:
    if not isinstance(record, dict):
        return record
    return {key: value for key, value in record.items() if key not in _COPIED_ANEW}


def _read(part: Any, at: Path, parts: list[Part]) -> None:
    kind = kind_of(part)
    if kind == "text" and isinstance(part.get("text"), str):
        parts.append(Text(part["text"], at=(*at, "text")))
    elif kind == "reasoning" and isinstance(part.get("text"), str):
        metadata = part.get("metadata")
        parts.append(Thinking(part["text"], len(as_json(metadata)) if metadata else 0, at=at))
    elif kind == "tool" and isinstance(part.get("state"), dict):
        _read_tool(part, at, parts)
    elif kind == "file":
        keep = {key: part[key] for key in _IDENTITY if key in part}
        parts.append(_file(part, at, block={**keep, "type": "text"}))
    elif kind in _MARKERS:
        parts.append(Marker(kind, as_json(part), at=at))
    else:
        parts.append(Opaque(kind, as_json(part), at=at))


def _read_tool(part: Mapping[str, Any], at: Path, parts: list[Part]) -> None:
    state = part["state"]
    status = state.get("status")
    given = state.get("input")
    id = str(part.get("callID") or "")
    key = "error" if status == "error" else "output"
    text, place = state.get(key), (*at, "state", key)
    time = state.get("time")
    files = state.get("attachments")
    parts.append(
        Call(
            id,
            str(part.get("tool")),
            given if isinstance(given, dict) else "",
            as_json(given) if isinstance(given, dict) else "",
            fixed=not isinstance(given, dict),
            at=(*at, "state", "input"),
        )
    )
    index = len(parts)
    parts.append(
        Result(
            id,
            text if isinstance(text, str) else "",
            error=status == "error",
            open=status not in ("completed", "error"),
            compacted=isinstance(time, dict) and bool(time.get("compacted")),
            at=place if isinstance(text, str) else (),
            texts=(place,) if isinstance(text, str) else (),
            extra=((*at, "state", "attachments"),) if files else (),
        )
    )
    # The host turns these into media blocks, so words cannot stand in their place.
    parts += (
        _file(file, (*at, "state", "attachments", i), inside=index, fixed=True) for i, file in numbered(files)
    )


def _file(file: Mapping[str, Any], at: Path, **given: Any) -> Attachment:
    media, size = data_url(file.get("url"))
    name = str(file.get("filename") or file.get("mime") or "file")
    return Attachment(name, str(file.get("mime") or media), size, at=at, **given)
