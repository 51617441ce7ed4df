"""Reads the top of a request, and changes some of its bytes so that all others stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from prunus.errors import FormatError
from prunus.json.splice import skip_space, values
from prunus.json.surrogates import decode

if TYPE_CHECKING:
    from prunus.providers.frame import Frame
    from prunus.providers.provider import Provider

Change: TypeAlias = tuple[int, int, bytes]
"""Start and end of some bytes, and what stands there instead."""

_KEY: Final = re.compile(rb'[ \t\r\n]*"((?:[^"\\]|\\.)*)"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)


def place_of(body: bytes, top: Mapping[str, msgspec.Raw], field: str) -> int:
    """Where the value of a top-level key begins."""
    at = skip_space(body, 0) + 1
    place = 0
    passed: set[str] = set()
    while found := _KEY.match(body, at):
        key = decode(b'"' + found[1] + b'"', str)
        if key in passed:
            break
        passed.add(key)
        if key == field:
            place = found.end()
        at = skip_space(body, found.end() + len(top[key])) + 1
    if len(passed) < len(top) or len(body[at:].strip()) > 0:
        raise FormatError("a key stands twice at the top of the body")
    return place


def spans(body: bytes, start: int, items: Sequence[msgspec.Raw]) -> tuple[list[int], list[int]]:
    """Start and end of each item of a list, from the lengths that the JSON reader found."""
    starts: list[int] = []
    ends: list[int] = []
    at = start + 1
    for item in items:
        at = skip_space(body, at)
        starts.append(at)
        at += len(item)
        ends.append(at)
        at = skip_space(body, at) + 1
    return starts, ends


def message_of(text: bytes) -> bytes:
    """Return a string that stands in place of the list as a message of the user, both as JSON."""
    return b'{"role":"user","content":%b}' % text


def top_of(body: bytes) -> dict[str, msgspec.Raw]:
    """The values of a body by key, with their bytes."""
    try:
        return msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        decode(body, dict[str, msgspec.Raw])
    return {str(key): msgspec.Raw(value) for key, value in values(body).items()}


def items_of(raw: bytes) -> list[msgspec.Raw] | None:
    """The bytes of the elements of a list; None if the value is no list."""
    if raw.lstrip()[:1] != b"[":
        return None
    try:
        return msgspec.json.decode(raw, type=list[msgspec.Raw])
    except msgspec.DecodeError:
        decode(raw, list[msgspec.Raw])
    return [msgspec.Raw(value) for value in values(raw).values()]


def extended(body: bytes, provider: Provider, messages: Sequence[Any]) -> bytes:
    """A body with more messages at its end; those it had keep their bytes."""
    top = top_of(body)
    raw = bytes(top.get(provider.field, b""))
    text = provider.takes_text and raw[:1] == b'"'
    held = [msgspec.Raw(message_of(raw))] if text else items_of(raw)
    if held is None:
        raise FormatError(f"{provider.field} is not a list")
    more = [msgspec.Raw(msgspec.json.encode(message)) for message in messages]
    return msgspec.json.encode({**top, provider.field: [*held, *more]})


def rewritten(body: bytes, changes: Iterable[Change]) -> bytes:
    """A body with some changes; the same object if there are none."""
    view = memoryview(body)
    pieces: list[bytes | memoryview] = []
    at = 0
    for start, end, new in sorted(changes):
        pieces += (view[at:start], new)
        at = end
    return b"".join((*pieces, view[at:])) if pieces else body


def place_beside(cut: Frame, key: str, value: bytes) -> Change:
    """The change that gives a body another value at a key beside its messages; a new key stands at the end."""
    body, text, before = cut.body, cut.body, 0
    if cut.starts and key in cut.ahead:
        text = body[: cut.starts[0] if cut.bare else body.rindex(b"[", 0, cut.starts[0])] + b"0}"
    elif cut.starts:
        opening = b'{"\\u0000":' + (b"0" if cut.bare else b"[0")
        text, before = opening + body[cut.ends[-1] :], cut.ends[-1] - len(opening)
    top = decode(text, dict[str, msgspec.Raw])
    if key not in top:
        end = len(body.rstrip()) - 1
        return end, end, b',"%b":%b' % (key.encode(), value)
    start = before + place_of(text, top, key)
    return start, start + len(top[key]), value


def with_text(raw: bytes | None, text: str) -> bytes | None:
    """A JSON text, or a list of text blocks, with more text at its end.

    None if the text stands there already, or if the value has another form.
    """
    written = msgspec.json.encode(text)
    if raw is None or raw in (b"null", b'""'):
        return written
    if written[1:-1] in raw:
        return None
    match raw[:1]:
        case b'"':
            return raw[:-1] + b"\\n\\n" + written[1:]
        case b"[":
            return with_item(raw, {"type": "text", "text": text})
    return None


def with_item(raw: bytes, item: object) -> bytes:
    """A JSON list with one more item; the others keep their bytes."""
    return raw[:-1] + (b"," if values(raw) else b"") + msgspec.json.encode(item) + b"]"


def ordered_like(item: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """An object with its keys in the order of another object; keys that only the first one has come last."""
    return {key: item[key] for key in other if key in item} | item
