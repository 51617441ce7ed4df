"""`POST /v1/prune`: takes a body in any format and returns it pruned.

    {"body": ..., "model": "...", "key": "...", "format": "..."}
    {"body": ..., "error": null, "report": {...}}

Only `body` is required. Everything that Prunus does not cut comes back byte for byte.
"""

from __future__ import annotations

from typing import Any

import msgspec

from prunus.errors import FormatError
from prunus.json.splice import values
from prunus.json.surrogates import decode
from prunus.outcome import Outcome
from prunus.proxy.given_body import GivenBack, GivenBody
from prunus.report.request_report import tallies_record


class PruneCall(msgspec.Struct, frozen=True):
    """What a program sends; other fields are ignored."""

    body: msgspec.Raw
    model: str | None = None
    key: str | None = None
    format: str | None = None


def read_prune_call(raw: bytes) -> GivenBody:
    """The body that a call gives; raises FormatError where there is none."""
    try:
        call = decode(raw, PruneCall)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f'expected {{"body", "model", "key", "format"}}: {error}') from error
    body = bytes(call.body)
    if body not in raw:  # decoding has replaced half of a surrogate pair in it
        body = values(raw)["body"]
    return GivenBody(body, call.model or "", call.key or "", call.format or None)


def prune_answer(back: GivenBack) -> dict[str, Any]:
    """The answer of a call."""
    return {"body": msgspec.Raw(back.body), "error": back.outcome.error, "report": _report(back.outcome)}


def _report(outcome: Outcome[bytes]) -> dict[str, Any]:
    report, flush = outcome.report, outcome.flush
    return {
        "conversation": outcome.conversation,
        "request": outcome.request,
        "format": report.format,
        "model": report.model,
        "messages": report.messages,
        "tokens_before": report.tokens_before,
        "tokens_after": report.tokens_after,
        "strategies": tallies_record(report.strategies),
        "cache_break": None
        if flush is None
        else {"message": flush.cut, "reason": flush.reason, "saved": flush.saved, "rewritten": flush.rewritten},
        "behind": outcome.behind,
    }
