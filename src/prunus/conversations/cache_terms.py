"""The prompt cache of one request: its prices, and the lifetime that its cache marks ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from prunus.conversations.held import Request
from prunus.conversations.memory import ConversationRecord
from prunus.schedule.cache_life import CacheLife, Following, Lifetime
from prunus.schedule.prices import Price, with_ttl


@dataclass(frozen=True, slots=True)
class CacheTerms:
    """The prices of one request, with the lifetime that was chosen for its cache marks."""

    price: Price
    """The price with the chosen lifetime."""
    ttl: float
    """Seconds for which the cache lives without use, as the previous request set it."""
    answered: bool
    """Whether the user has spoken since the previous request."""
    _asked: Price
    _life: CacheLife

    def settled(self, step: Following) -> CacheLife:
        """Return what to record about the cache once this request is sent."""
        return replace(self._life, own=self._life.own.add(step, self._asked, self.price))


def wanted_lifetime(wanted: Lifetime, *, marks: bool, subagent: bool) -> Lifetime:
    """Return the lifetime that the settings want. A sub-agent has no user whose pauses could be learned."""
    return wanted if marks and not (subagent and wanted == "auto") else "as sent"


def cache_terms(request: Request, memo: ConversationRecord, price: Price, tokens: int, cold: str) -> CacheTerms:
    """Choose the lifetime of a request's cache marks.

    `tokens` is the size of the request with the edits in force, and `price` belongs to its model. `cold` says why
    the cache is lost, if the reason is not its age.
    """
    asked = with_ttl(price, request.read.lifetime()) if price.long_write is not None else price
    life = memo.life
    before = with_ttl(asked, life.lifetime)
    new = range(memo.depth, len(request)) if memo.requests else range(0)
    answered = any(request.load(index).spoken for index in new)
    lost = bool(cold) or not memo.requests
    wanted = request.lifetime
    if wanted == "auto":
        pause = request.now - memo.seen if memo.requests else 0.0
        step = Following(pause, answered, tokens, 0 if lost else min(life.own.tokens, tokens))
        seen = replace(life, own=life.own.add(step, asked, before))
        lifetime = seen.choose(wanted, asked, tokens, anew=lost or request.now - memo.refreshed > before.ttl)
    else:
        lifetime = life.choose(wanted, asked, tokens, anew=True)
    return CacheTerms(
        with_ttl(asked, lifetime), before.ttl, answered, asked, replace(life, lifetime=lifetime, kept=0.0)
    )
