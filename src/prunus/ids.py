"""Short ids of message parts. People and agents use them to name a part that they want back or gone."""

from __future__ import annotations

from collections.abc import Container, Iterable
from hashlib import blake2b
from typing import Final

from prunus.history import Ref

_LENGTH: Final = 6


def short_id(ref: Ref, content: bytes | Iterable[bytes], taken: Container[str] = ()) -> str:
    """Return the id of a part: six hex digits of a hash of its place and content, more if that id is taken."""
    name = _whole(ref, content)
    length = _LENGTH
    while name[:length] in taken and length < len(name):
        length += 1
    return name[:length]


def named_so(id: str, ref: Ref, content: bytes) -> bool:
    """Return whether `id` is an id of this part, of any length."""
    return _whole(ref, content).startswith(id)


def _whole(ref: Ref, content: bytes | Iterable[bytes]) -> str:
    name = blake2b(b"%d:%d:" % ref, digest_size=16)
    for piece in (content,) if isinstance(content, bytes) else content:
        name.update(piece)
    return name.hexdigest()
