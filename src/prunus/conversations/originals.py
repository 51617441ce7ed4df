"""The original of an edit: the content that the edit removes, as the store keeps it for `prunus restore`.

If an edit removes only text, the original is the text of the part. If it removes more, such as an image or a
signature, the original is the JSON from the request, byte for byte.
"""

from __future__ import annotations

import msgspec

from prunus.edits import Edit, Gone, Note
from prunus.history import Attachment, Message, Opaque, Result, Thinking
from prunus.json.splice import Path, values


def original(message: Message, edit: Edit) -> str:
    """Return the content that the edit removes from its part of this message."""
    index = edit.target.part
    part = message.parts[index]
    match part, edit.replacement:
        case Attachment(), Note() | Gone():
            raw = _at(message.raw, part.at)
        case Thinking(hidden=hidden), Gone() if hidden:
            raw = _at(message.raw, part.at)
        case Result(), Note() if part.extra:
            places = (part.at, *part.extra)
            named = (msgspec.json.encode(place[-1]) + b":" + _at(message.raw, place) for place in places)
            raw = b"{" + b",".join(named) + b"}"
        case Result(), Note() if any(
            isinstance(other, Attachment | Opaque) and other.inside == index for other in message.parts
        ):
            raw = _at(message.raw, part.at)
        case _:
            return str(getattr(part, "text", ""))
    return raw.decode("utf-8", "surrogatepass")


def _at(raw: bytes, path: Path) -> bytes:
    """Return the JSON bytes at a path of a message."""
    for step in path:
        raw = values(raw)[step]
    return raw
