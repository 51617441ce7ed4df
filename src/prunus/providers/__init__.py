"""The wire formats, one folder each: requests into histories and back, and how answers are read.

`ALL` lists them; `provider.Provider` is the protocol of a folder.
"""

from __future__ import annotations

from typing import Any

import msgspec

from prunus.errors import FormatError
from prunus.history import History, Message
from prunus.json.long_strings import decode_long
from prunus.providers.blocks import as_json
from prunus.providers.digest import digest, unmarked
from prunus.providers.frame import Frame, frame, resume
from prunus.providers.objects import Objects, copy, encode, read_objects
from prunus.providers.provider import Api, Provider
from prunus.providers.recognition import ALL, APIS, api_named, provider_named
from prunus.providers.write import write

__all__ = [
    "ALL",
    "APIS",
    "Api",
    "Frame",
    "Objects",
    "Provider",
    "api_named",
    "as_json",
    "copy",
    "decode",
    "digest",
    "encode",
    "frame",
    "parse",
    "provider_named",
    "read",
    "read_objects",
    "resume",
    "unmarked",
    "write",
]


def decode(raw: bytes, index: int) -> dict[str, Any]:
    """Return the JSON object of one message; raises FormatError for anything else."""
    try:
        value = decode_long(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"message {index}: {error}") from error
    if not isinstance(value, dict):
        raise FormatError(f"message {index} is not an object")
    return value


def parse(format: Provider, raw: bytes, index: int) -> Message:
    """Return one message of a body, given its bytes."""
    return format.parse(decode(raw, index), raw)


def read(body: bytes, name: str | None = None) -> History:
    """Return the whole history of a body; `name` is its format, if the caller knows it."""
    cut = frame(body, name)
    return History(cut.format.name, tuple(parse(cut.format, cut.raw(i), i) for i in range(len(cut.starts))))
