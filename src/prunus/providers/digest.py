"""Hashes of messages that do not depend on cache markers, and the lifetime that the markers ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from prunus.errors import FormatError
from prunus.json.long_strings import encode_in_pieces
from prunus.json.surrogates import LARGE, decode
from prunus.providers.blocks import MARKS
from prunus.text.fingerprint import fingerprint


def digest(message: Mapping[str, Any], raw: bytes) -> bytes:
    """The hash of a message, the same wherever its cache markers stand.

    Clients mark the last message for the cache. A marked message is often a list of one text block, and a plain
    string in all other requests.
    """
    value: Any = message
    if any(mark in raw for mark in _QUOTED):
        value = _without_marks(message)
    content = value.get("content")
    if isinstance(content, list) and len(content) == 1:
        block = content[0]
        if isinstance(block, dict) and block.keys() == {"type", "text"} and block["type"] == "text":
            value = {**value, "content": block["text"]}
    return fingerprint(*encode_in_pieces(value)) if len(raw) > LARGE else fingerprint(msgspec.json.encode(value))


def unmarked(prompt: Mapping[str, Any]) -> dict[str, Any]:
    """Model, system text and tools without cache markers, as values; they may be given as bytes or as objects."""
    try:
        plain = {key: decode(value) if isinstance(value, bytes) else value for key, value in prompt.items()}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"model, system text or tools cannot be read: {error}") from error
    return {key: _without_marks(value) for key, value in plain.items()}


def lifetime(*raws: bytes) -> str | None:
    """How long the client wants the cache to live; None if no marker says so."""
    # A search for plain bytes is quicker than one for a pattern; a message may have megabytes.
    found = (_TTL.search(raw, at) for raw in raws if (at := raw.find(b'"cache_control"')) >= 0)
    return next((match[1].decode() for match in found if match is not None), None)


_TTL = re.compile(rb'"cache_control"\s*:\s*\{[^{}]*"ttl"\s*:\s*"(\w+)"')
_QUOTED = tuple(b'"%s"' % mark.encode() for mark in sorted(MARKS))
_DATA = frozenset({"input", "args", "arguments", "response"})


def _without_marks(value: Any) -> Any:
    """Return a value without cache markers. An argument of a call that has the name of one is no marker."""
    if isinstance(value, dict):
        return {
            key: inner if key in _DATA else _without_marks(inner)
            for key, inner in value.items()
            if key not in MARKS
        }
    if isinstance(value, list):
        return [_without_marks(inner) for inner in value]
    return value
