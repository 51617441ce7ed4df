"""Writes edits into the bytes of a message, for each kind of part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from prunus.edits import Added, Gone, Input, Note, Replacement, Shorter
from prunus.errors import InvariantError
from prunus.history import Attachment, Call, Message, Result, Text, Thinking
from prunus.json.splice import Path, splice

_encode = msgspec.json.encode


def write(message: Message, edits: Mapping[int, Replacement]) -> bytes:
    """The bytes of a message with these parts replaced; empty if the whole message is removed."""
    changes: dict[Path, bytes | None] = {}
    if message.parts and all(isinstance(edits.get(i), Gone) for i in range(len(message.parts))):
        return b""
    for index, replacement in edits.items():
        part = message.parts[index]
        if isinstance(part, Attachment) and part.inside is not None and isinstance(edits.get(part.inside), Note):
            continue
        if part.at == ():
            if isinstance(replacement, Gone):
                return b""
            raise InvariantError(f"a {type(part).__name__} without a place cannot be changed")
        _change(part, replacement, changes)
    return splice(message.raw, changes)


def _change(part: Any, replacement: Replacement, changes: dict[Path, bytes | None]) -> None:
    match part, replacement:
        case Text(), Gone():
            changes[part.at[:-1]] = None
        case Thinking(), Gone():
            changes |= dict.fromkeys((part.at, *part.extra), None)
        case _, Gone():
            changes[part.at] = None
        case ((Text() | Thinking()), (Note(text) | Shorter(text))):
            changes[part.at] = _encode(text)
        case Result(shape="streams"), (Note(text) | Shorter(text)):
            first, *others = part.texts
            changes |= {first: _encode(text), **dict.fromkeys(others, b'""')}
        case Result(), Shorter(text) if part.texts:
            first, *others = part.texts
            changes |= {path[:-1]: None for path in others}
            if part.later_mark:
                changes[first[:-1]] = _encode({"type": part.block, "text": text, **part.later_mark})
            else:
                changes[first] = _encode(text)
        case Result(), (Note(text) | Shorter(text)):
            changes[part.at] = _encode(result_content(part, text))
            if isinstance(replacement, Note):
                changes |= dict.fromkeys(part.extra, None)
        case Text(), Added(text):
            changes[part.at] = _encode(part.text + text)
        case Result(), Added(text) if part.texts:
            changes[part.texts[-1]] = _encode((part.pieces[-1] if part.pieces else part.text) + text)
        case Call(), Input(value):
            plain = _encode(value)
            changes[part.at] = _encode(plain.decode()) if part.quoted else plain
        case Attachment(), Note(text):
            changes[part.at] = _encode({**part.block, "text": text})
        case _:
            raise InvariantError(f"a {type(part).__name__} cannot become a {type(replacement).__name__}")


def result_content(result: Result, text: str) -> object:
    """A text as the whole content of a result, in the shape of the content that it replaces."""
    match result.shape:
        case "string" | "streams":
            return text
        case "object":
            return {"error" if result.error else "output": text}
        case "blocks":
            return [{"type": result.block, "text": text, **result.mark}]
