"""OpenCode's own messages, as its plugins see them: `{info, parts}`, call and result in one part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.history import Attachment, Call, Marker, Message, Opaque, Part, Result, Role, Text, Thinking
from prunus.json.splice import Path
from prunus.providers.blocks import as_json, data_url, kind_of

_MARKERS = frozenset({"step-start", "step-finish"})
_IDENTITY = ("id", "sessionID", "messageID")


def read_message(message: Mapping[str, Any], raw: bytes) -> Message:
    """One message of a list of `{info, parts}`."""
    info = message.get("info")
    role: Role = "assistant" if isinstance(info, dict) and info.get("role") == "assistant" else "user"
    parts: list[Part] = []
    listed = message.get("parts")
    for i, part in enumerate(listed if isinstance(listed, list) else ()):
        _read(part, ("parts", i), parts)
    return Message(role, tuple(parts), raw, spoken=role == "user")


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
        media, size = data_url(part.get("url"))
        keep = {key: part[key] for key in _IDENTITY if key in part}
        name = str(part.get("filename") or part.get("mime") or "file")
        media = str(part.get("mime") or media)
        parts.append(Attachment(name, media, size, block={**keep, "type": "text"}, at=at))
    elif kind in _MARKERS:
        parts.append(Marker(kind, as_json(part), at=at))
    else:
        parts.append(Opaque(kind, as_json(part), at=at))


def _read_tool(part: Mapping[str, Any], at: Path, parts: list[Part]) -> None:
    state = part["state"]
    status = state.get("status")
    given = state.get("input")
    id = str(part.get("callID") or "")
    place: Path = (*at, "state", "error" if status == "error" else "output")
    text = state.get("error" if status == "error" else "output")
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
    for i, file in enumerate(files if isinstance(files, list) else ()):
        if isinstance(file, dict):
            media, size = data_url(file.get("url"))
            name = str(file.get("filename") or file.get("mime") or "file")
            media = str(file.get("mime") or media)
            # The host turns these into media blocks, so words cannot stand in their place.
            parts.append(Attachment(name, media, size, index, fixed=True, at=(*at, "state", "attachments", i)))
