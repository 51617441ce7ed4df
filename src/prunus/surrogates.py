r"""JSON in which half of a surrogate pair stands, such as `\ud800`, is read like any other.

Such a half is no character, but JavaScript strings that were cut in the middle of an emoji hold one, and the escape
for it is legal JSON. The reader refuses it, so where it fails each half is read as the replacement character. That
escape is as long, so whatever is measured in the mended text is right for the text as it came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from threading import current_thread, main_thread
from time import sleep
from typing import Any, Final

import msgspec

_SURROGATE: Final = re.compile(
    rb"(?<!\\)(\\++)(u[dD][89a-fA-F][0-9a-fA-F]{2})(\\u[dD][c-fC-F][0-9a-fA-F]{2})?"
)  # fmt: skip
_MENDED: Final = rb"\ufffd"
_LARGE: Final = 4_000_000
_PAUSE: Final = 0.005


def decode(data: bytes | str | msgspec.Raw, type: Any = Any) -> Any:
    """The value of a JSON text; a half is read as the replacement character."""
    if len(data) > _LARGE:
        _let_others_run()
    try:
        return msgspec.json.decode(data, type=type)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        raw = data.encode() if isinstance(data, str) else bytes(data)
        whole = mended(raw)
        if whole == raw:
            raise
    return msgspec.json.decode(whole, type=type)


def _let_others_run() -> None:
    """Pause a thread that is about to scan a large text.

    A scan keeps the interpreter to itself until it ends, at 64 MB for 40 ms. Without a pause between two scans, an
    event loop that waited for the first one hardly runs before it has to wait for the second one.
    """
    if current_thread() is not main_thread():
        sleep(_PAUSE)


def exact(raw: bytes) -> Any:
    """The value of a JSON text, in which a half stays what it is."""
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        decode(raw)
    return json.loads(raw)


def encode(value: Any, plain: Callable[[Any], Any] | None = None) -> bytes:
    """A value as JSON text, in which a half is an escape; `plain` makes values of what JSON does not know."""
    try:
        return msgspec.json.encode(value, enc_hook=plain)
    except UnicodeEncodeError:
        known = msgspec.to_builtins(value, enc_hook=plain)
    return json.dumps(known, separators=(",", ":"), allow_nan=False).encode()


def mended(raw: bytes) -> bytes:
    """A JSON text of the same length without halves."""
    return _SURROGATE.sub(_mend, raw)


def _mend(found: re.Match[bytes]) -> bytes:
    slashes, first, second = found.groups(b"")
    escapes = len(slashes) % 2 == 1  # of two backslashes the first one makes a letter of the second
    if escapes and second and first[2] in b"89abAB":
        return found[0]
    return (slashes[:-1] + _MENDED if escapes else slashes + first) + (_MENDED if second else b"")
