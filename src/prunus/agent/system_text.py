"""Where a request takes a text for the system, in each format's own place.

The text goes behind the client's own system text, which keeps its bytes; a request without one gets one.
"""

from __future__ import annotations

from typing import Final

import msgspec

from prunus.agent.exchange import place_beside
from prunus.providers import Frame
from prunus.splice import splice, values

__all__ = ["place_system_text"]

_SYSTEM: Final = ("system", "developer")
"""The roles in which Chat Completions has its system text."""


def place_system_text(cut: Frame, text: str) -> list[tuple[int, int, bytes]]:
    """The changes (start, end, bytes) that put a text behind the system text of a request.

    There are none where the text stands there already, or where the system text is in no known form.
    """
    if cut.format.name == "openai_chat":
        return _in_messages(cut, text)
    match cut.format.name:
        case "anthropic_messages":
            key = "system"
            new = _appended(cut.prompt.get(key), text)
        case "openai_responses":
            key = "instructions"
            new = _appended(cut.prompt.get(key), text)
        case "gemini":
            key = "system_instruction" if "system_instruction" in cut.prompt else "systemInstruction"
            new = _in_parts(cut.prompt.get(key), text)
        case _:
            return []
    return [] if new is None else [place_beside(cut, key, new)]


def _in_messages(cut: Frame, text: str) -> list[tuple[int, int, bytes]]:
    """Chat Completions: the first message, or a new one before it."""
    if not cut.starts:
        return []
    start, end, first = cut.starts[0], cut.ends[0], cut.raw(0)
    fields = values(first) if first[:1] == b"{" else {}
    role = fields.get("role", b"").strip(b'"').decode("utf-8", "replace")
    if role not in _SYSTEM:
        return [(start, start, _json({"role": "system", "content": text}) + b",")]
    new = _appended(fields.get("content"), text)
    return [] if new is None else [(start, end, splice(first, {("content",): new}))]


def _in_parts(raw: bytes | None, text: str) -> bytes | None:
    """Gemini: one more part."""
    if raw is None or raw == b"null":
        return _json({"parts": [{"text": text}]})
    parts = values(raw).get("parts") if raw[:1] == b"{" else None
    if parts is None or parts[:1] != b"[" or _json(text)[1:-1] in raw:
        return None
    return splice(raw, {("parts",): _with_item(parts, _json({"text": text}))})


def _appended(raw: bytes | None, text: str) -> bytes | None:
    """A text, or a list of blocks, with more text at its end."""
    written = _json(text)
    if raw is None or raw in (b"null", b'""'):
        return written
    if written[1:-1] in raw:
        return None
    match raw[:1]:
        case b'"':
            return raw[:-1] + b"\\n\\n" + written[1:]
        case b"[":
            return _with_item(raw, _json({"type": "text", "text": text}))
    return None


def _with_item(raw: bytes, item: bytes) -> bytes:
    """A list with one more item; the others keep their bytes."""
    return raw[:-1] + (b"," if values(raw) else b"") + item + b"]"


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
