"""Bytes into histories and back, one file per format."""

from __future__ import annotations

from typing import Any

import msgspec

from prunus import surrogates
from prunus.errors import FormatError
from prunus.formats.digest import digest, unmarked
from prunus.formats.format import Format, as_json
from prunus.formats.frame import Frame, frame, place_of, resume
from prunus.formats.objects import Objects, copy, encode, read_objects
from prunus.formats.recognition import FORMATS, format_named
from prunus.formats.write import write
from prunus.history import History, Message

__all__ = [
    "FORMATS",
    "Format",
    "Frame",
    "Objects",
    "as_json",
    "copy",
    "decode",
    "digest",
    "encode",
    "format_named",
    "frame",
    "parse",
    "place_of",
    "read",
    "read_objects",
    "resume",
    "unmarked",
    "write",
]


def decode(raw: bytes, index: int) -> dict[str, Any]:
    """One message as JSON; it has to be an object."""
    try:
        value = surrogates.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"message {index}: {error}") from error
    if not isinstance(value, dict):
        raise FormatError(f"message {index} is not an object")
    return value


def parse(format: Format, raw: bytes, index: int) -> Message:
    """One message of a body."""
    return format.parse(decode(raw, index), raw)


def read(body: bytes, name: str | None = None) -> History:
    """The whole history of a body."""
    cut = frame(body, name)
    return History(cut.format.name, tuple(parse(cut.format, cut.raw(i), i) for i in range(len(cut.starts))))
