"""What an edit takes away, as it is kept for the day on which somebody asks for it.

That is the text of the part where its text is all that goes. Where more goes, such as an image or a signature, it
is the JSON that stood in the request, byte for byte.
"""

from __future__ import annotations

import msgspec

from prunus.edits import Edit, Gone, Note
from prunus.history import Attachment, Message, Opaque, Result, Thinking
from prunus.splice import Path, values


def original(message: Message, edit: Edit) -> str:
    """What the edit takes away from its part of this message."""
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
    """The JSON at a place of a message."""
    for step in path:
        raw = values(raw)[step]
    return raw
