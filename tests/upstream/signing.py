"""Signatures that the upstream gives its thinking, and ids that tell the step they belong to.

Both carry a tag of the conversation and the number of the step, so that the upstream needs no memory: a history
says by itself how far the script has come, and whether the thinking in it is what was sent.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Final

__all__ = ["call_id", "place", "placed", "sign", "signed_step", "tag_of"]

_KEY: Final = b"the upstream of the tests"
_ID = re.compile(r"([0-9a-f]{8})s(\d{3})c(\d{2})")


def tag_of(opening: str) -> str:
    """A short name of a conversation, by how it began."""
    return hashlib.sha256(opening.encode()).hexdigest()[:8]


def call_id(tag: str, step: int, index: int) -> str:
    """The id of a call, without the provider's prefix."""
    return f"{tag}s{step:03d}c{index:02d}"


def place(id: str) -> tuple[str, int] | None:
    """The conversation and the step that an id of ours belongs to."""
    found = _ID.search(id)
    return (found[1], int(found[2])) if found else None


def placed(id: str) -> list[tuple[str, int, int]]:
    """The conversation, the step and the number of the call; nothing for an id that is not ours."""
    return [(tag, int(step), int(index)) for tag, step, index in _ID.findall(id)]


def sign(text: str, tag: str, step: int) -> str:
    """A signature that holds for this text at this step."""
    head = f"{tag}s{step:03d}:".encode()
    return base64.b64encode(head + hmac.digest(_KEY, head + text.encode(), "sha256")).decode()


def signed_step(signature: str, text: str = "") -> int | None:
    """The step that a signature was made for; none when it is not ours or the text has changed."""
    try:
        head, _, mark = base64.b64decode(signature, validate=True).partition(b":")
        tag, step = head.decode().split("s")
        number = int(step)
    except ValueError:
        return None
    return number if hmac.compare_digest(base64.b64decode(sign(text, tag, number))[len(head) + 1 :], mark) else None
