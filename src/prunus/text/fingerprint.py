"""Hash a text without starving the event loop.

`hashlib` releases the interpreter lock for any text of 2,048 bytes or more. If hashing takes only microseconds, a
waiting thread wakes too late, finds the lock taken again, and waits anew. A thread that hashes one tool result
after the other can thus block the event loop for a tenth of a second. So this module hashes texts of medium size in
pieces that are small enough for `hashlib` to keep the lock. For long texts, releasing the lock pays.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

_PIECE: Final = 1_920
_LONG: Final = 200_000
_VERY_LONG: Final = 4_000_000
_SLICE: Final = 500_000


def fingerprint(*texts: bytes) -> bytes:
    """Return a hash of 16 bytes over the concatenated texts."""
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


def utf8(text: str) -> Iterator[bytes]:
    """Return the bytes of a text, in pieces if it is so long that other threads should get a turn in between."""
    step = _SLICE if len(text) > _VERY_LONG else max(1, len(text))
    for at in range(0, len(text) or 1, step):
        yield text[at : at + step].encode("utf-8", "surrogatepass")
