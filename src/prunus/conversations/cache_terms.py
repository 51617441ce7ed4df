"""What a request pays for the prompt cache, and how long its cache marks make the cache live."""

from __future__ import annotations

from dataclasses import dataclass, replace

from prunus.conversations.held import Request
from prunus.conversations.memory import ConversationRecord
from prunus.schedule.cache_life import CacheLife, Following, Lifetime
from prunus.schedule.prices import Price, with_ttl


@dataclass(frozen=True, slots=True)
class CacheTerms:
    """The prices of one request, by the lifetime that was chosen for its cache marks."""

    price: Price
    """The price with the lifetime that was chosen."""
    ttl: float
    """Seconds that what is cached lives without use, by the request before."""
    answered: bool
    """Whether the user has spoken since the request before."""
    _asked: Price
    _life: CacheLife

    def settled(self, step: Following) -> CacheLife:
        """What is remembered about the cache with this request, as it is sent."""
        return replace(self._life, own=self._life.own.add(step, self._asked, self.price))


def wanted_lifetime(wanted: Lifetime, *, marks: bool, subagent: bool) -> Lifetime:
    """What the settings want of a request's cache marks; a sub-agent has no user whose pauses could tell."""
    return wanted if marks and not (subagent and wanted == "auto") else "as sent"


def cache_terms(request: Request, memo: ConversationRecord, price: Price, tokens: int, cold: str) -> CacheTerms:
    """Choose the lifetime of a request's cache marks.

    `tokens` are those of the request with the edits in force, `price` is that of its model. `cold` says why the
    cache is lost, if it is lost for another reason than time.
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
