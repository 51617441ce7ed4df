r"""Read and write JSON that contains half of a surrogate pair, such as `\ud800`.

Such a half is not a character. JavaScript strings that were cut in the middle of an emoji contain one, and its
escape is legal JSON. msgspec refuses it. When msgspec fails, this module replaces each half by the escape of the
replacement character and reads again. Both escapes have the same length, so positions in the repaired text are
valid in the original text too.
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
LARGE: Final = 4_000_000
"""Bytes from which parsing a text takes so long that other threads should get a turn."""
_PAUSE: Final = 0.005


def decode(data: bytes | str | msgspec.Raw, type: Any = Any) -> Any:
    """Return the value of a JSON text; half of a surrogate pair becomes the replacement character."""
    if len(data) > LARGE:
        _let_others_run()
    try:
        return msgspec.json.decode(data, type=type)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        raw = data.encode() if isinstance(data, str) else bytes(data)
        whole = mend_surrogates(raw)
        if whole == raw:
            raise
    return msgspec.json.decode(whole, type=type)


def _let_others_run() -> None:
    """Pause a worker thread that is about to parse a large text.

    msgspec holds the interpreter lock while it parses, for 40 ms at 64 MB. Without a pause between two parses, an
    event loop that waited for the first parse would have to wait for the second one almost at once.
    """
    if current_thread() is not main_thread():
        sleep(_PAUSE)


def exact(raw: bytes) -> Any:
    """Return the value of a JSON text; half of a surrogate pair stays as it is."""
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        decode(raw)
    return json.loads(raw)


def encode(value: Any, plain: Callable[[Any], Any] | None = None) -> bytes:
    """Return a value as JSON, with half of a surrogate pair as an escape; `plain` converts other types."""
    try:
        return msgspec.json.encode(value, enc_hook=plain)
    except UnicodeEncodeError:
        known = msgspec.to_builtins(value, enc_hook=plain)
    return json.dumps(known, separators=(",", ":"), allow_nan=False).encode()


def mend_surrogates(raw: bytes) -> bytes:
    """Return a JSON text of the same length in which each half of a surrogate pair is the replacement character."""
    return _SURROGATE.sub(_mend, raw)


def _mend(found: re.Match[bytes]) -> bytes:
    slashes, first, second = found.groups(b"")
    escapes = len(slashes) % 2 == 1  # Two backslashes are one literal backslash, so the `u` starts no escape.
    if escapes and second and first[2] in b"89abAB":
        return found[0]
    return (slashes[:-1] + _MENDED if escapes else slashes + first) + (_MENDED if second else b"")
