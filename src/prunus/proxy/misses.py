"""Why a request missed the prompt cache.

Tokens that a provider writes to its cache, or reads without a cache, are either new or were missed. A request that
continues another one should find everything that the provider cached of it. A miss has one of these reasons:

    first       the conversation is new, so there is nothing to find
    compacted   the client began anew in the same session, as after a compaction
    forked      the client changed earlier messages: it undid, forked or edited them
    prompt      model, system text or tools changed
    expired     the cache lives no longer than the pause before the request
    cut         Prunus cut something
    unknown     the provider did not find what it should have
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from prunus.outcome import Continuation
from prunus.providers.usage import Usage

_LEAST: Final = 1024
"""Providers cache in blocks. Fewer tokens than this, missed for no known reason, are taken for new."""


@dataclass(frozen=True, slots=True)
class Miss:
    """The tokens of a request that were written to the cache once more, and why."""

    tokens: int = 0
    reason: str = ""


def miss_of(
    usages: Sequence[Usage],
    held: float | None,
    continues: Continuation,
    ttl: float,
    *,
    cut: float | None = None,
    compacted: bool = False,
) -> Miss:
    """What a request missed, by the provider's word.

    `held` are the tokens that the provider has cached of the request before; None if that is not known. `cut` are
    the tokens that Prunus has taken out of them with this request; None if it has cut nothing.
    """
    if not usages:
        return Miss()
    usage = usages[0]
    written = usage.input + usage.cache_write
    reason = _reason(continues, ttl, cut=cut is not None, compacted=compacted)
    if reason in ("first", "compacted"):
        return Miss(written, reason)
    if held is None:
        missed = 0 if usage.cache_read else written
    else:
        missed = min(written, round(held - (cut or 0.0)) - usage.cache_read)
    return Miss(missed, reason) if missed >= (_LEAST if reason == "unknown" else 1) else Miss()


def held_by(usage: Usage) -> int:
    """The tokens of a request that the provider has cached once it has answered."""
    if usage.cache_write:
        return usage.cache_read + usage.cache_write
    return usage.input + usage.cache_read


def _reason(continues: Continuation, ttl: float, *, cut: bool, compacted: bool) -> str:
    if not continues.parent:
        return "compacted" if compacted else "first"
    if continues.left:
        return "forked"
    if continues.changed:
        return "prompt"
    if continues.gap is not None and continues.gap > ttl:
        return "expired"
    return "cut" if cut else "unknown"
