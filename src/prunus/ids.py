"""Short ids of message parts. People and agents use them to name a part that they want back or gone."""

from __future__ import annotations

from collections.abc import Container
from hashlib import blake2b
from typing import Final

from prunus.history import Ref

_LENGTH: Final = 6


def short_id(ref: Ref, content: bytes, taken: Container[str] = ()) -> str:
    """Return the id of a part: six hex digits of a hash of its place and content, more if that id is taken."""
    name = _whole(ref, content)
    length = _LENGTH
    while name[:length] in taken and length < len(name):
        length += 1
    return name[:length]


def named_so(id: str, ref: Ref, content: bytes) -> bool:
    """Return whether `id` is an id of this part, of any length."""
    return _whole(ref, content).startswith(id)


def _whole(ref: Ref, content: bytes) -> str:
    return blake2b(b"%d:%d:" % ref + content, digest_size=16).hexdigest()
