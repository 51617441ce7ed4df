"""Short names of parts, by which people and agents ask for them."""

from __future__ import annotations

from collections.abc import Container
from hashlib import blake2b
from typing import Final

from prunus.history import Ref

_LENGTH: Final = 6


def short_id(ref: Ref, content: bytes, taken: Container[str] = ()) -> str:
    """A name of six hex digits that follows from content and position; longer where that one is taken."""
    name = _whole(ref, content)
    length = _LENGTH
    while name[:length] in taken and length < len(name):
        length += 1
    return name[:length]


def named_so(id: str, ref: Ref, content: bytes) -> bool:
    """Whether this is the name of a part, in any length."""
    return _whole(ref, content).startswith(id)


def _whole(ref: Ref, content: bytes) -> str:
    return blake2b(b"%d:%d:%b" % (*ref, content), digest_size=16).hexdigest()
