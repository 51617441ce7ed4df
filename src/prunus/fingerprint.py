"""The hash that names a text, made so that other threads are not kept waiting.

`hashlib` lets go of the interpreter for any text of 2,048 bytes or more. Where that takes only some microseconds, a
thread that waits for the interpreter wakes too late, finds it taken again, and waits anew: a thread that hashes one
result after the other can so keep the event loop out for a tenth of a second. So texts of that size are hashed in
pieces for which `hashlib` does not let go; for a long one, letting go pays.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

_PIECE: Final = 1_920
_LONG: Final = 200_000


def fingerprint(*texts: bytes) -> bytes:
    """16 bytes that name these texts, put together."""
    if len(texts) == 1 and len(texts[0]) <= _PIECE:
        return blake2b(texts[0], digest_size=16).digest()
    name = blake2b(digest_size=16)
    for text in texts:
        size = len(text)
        if size <= _PIECE or size > _LONG:
            name.update(text)
            continue
        view = memoryview(text)
        for start in range(0, size, _PIECE):
            name.update(view[start : start + _PIECE])
    return name.digest()
