"""`POST /v1/compress` and `GET /v1/retrieve/HASH`, as the Headroom guardrails of litellm and Portkey call them.

    {"messages": [...], "model": "..."}
    {"messages": [...], "tokens_before": 9, "tokens_after": 5, "compression_ratio": 0.6, "ccr_hashes": [...], ...}

The answer has the same number of messages in the same order. The gateway can offer its model a tool that retrieves
a cut text. For that, each cut message ends with the hash of its text, and `ccr_hashes` lists the hashes.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from prunus.edits import Added, Continued, Gone, Input
from prunus.errors import FormatError
from prunus.json.splice import values
from prunus.json.surrogates import decode, encode, exact
from prunus.outcome import Outcome, aligned
from prunus.proxy.tenant import Tenant
from prunus.store.records import SHORTEST_DIGEST, digest_of

HASH: Final = re.compile(r"[0-9a-f]{24}")
"""A hash as the guardrails know it: at most 24 digits, in lower case."""
_KEEPS_ALL: Final = (Added, Continued, Gone, Input)
"""Edits that leave the text of their message whole, or leave nothing that could tell a hash."""


class CompressCall(msgspec.Struct, frozen=True):
    """What a guardrail sends; other fields are ignored."""

    messages: msgspec.Raw
    model: str | None = None


def check_compress_call(raw: bytes) -> None:
    """Raise FormatError where a guardrail gives no messages."""
    _messages(raw)


def compress_answer(given: bytes, pruned: bytes, outcome: Outcome[bytes], *, kept: bool) -> dict[str, Any]:
    """The answer to a call that was pruned; hashes are told where the texts are `kept`."""
    report, old = outcome.report, _messages(given)
    new = [
        was if now is None else now
        for was, now in zip(old, aligned(_messages(pruned), len(old), outcome), strict=True)
    ]
    hashes = _mark(old, new, outcome) if kept else []
    before, after = report.tokens_before, report.tokens_after
    return {
        "messages": new,
        "tokens_before": before,
        "tokens_after": after,
        "tokens_saved": before - after,
        "compression_ratio": after / before if before else 1.0,
        "transforms_applied": [*report.strategies],
        "ccr_hashes": hashes,
        "error": outcome.error,
    }


def retrieved(tenant: Tenant, hash: str) -> dict[str, Any] | None:
    """The text behind a hash that this tenant was told; None where there is none any more."""
    text = None
    if tenant.store.keeps_receipts and HASH.fullmatch(hash):
        text = tenant.store.original(tenant.name, hash)
    return None if text is None else {"hash": hash, "original_content": text}


def _messages(raw: bytes) -> list[msgspec.Raw]:
    try:
        field = bytes(decode(raw, CompressCall).messages)
        messages: list[msgspec.Raw] = decode(field, list[msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f'expected {{"messages", "model"}}: {error}') from error
    if field in raw:
        return messages
    # Decoding has replaced half of a surrogate pair in one of them.
    return [msgspec.Raw(one) for one in values(values(raw)["messages"]).values()]


def _mark(old: list[msgspec.Raw], new: list[msgspec.Raw], outcome: Outcome[bytes]) -> list[str]:
    """Write the hash of its text behind each message that was cut, where that is still shorter; tell the hashes."""
    cut = {edit.target.message for edit in outcome.edits if not isinstance(edit.replacement, _KEEPS_ALL)}
    hashes = []
    for index in sorted(cut):
        # The store has a text as it was read, without halves of surrogate pairs.
        was, now = decode(old[index]), exact(bytes(new[index]))
        text, left = was.get("content"), now.get("content")
        if not isinstance(text, str) or not isinstance(left, str) or text == left:
            continue
        hash = digest_of(text)[:SHORTEST_DIGEST].hex()
        marked = f"{left}\n[original: hash={hash}]"
        if len(marked) < len(text):
            new[index] = msgspec.Raw(encode({**now, "content": marked}))
            hashes.append(hash)
    return hashes
