"""Decides which conversations a keep-alive request would help, from the pauses of their users.

A keep-alive request makes no new decision about a conversation. It only records that the provider's cache was read,
so that the next request, on any replica, knows how long the cache has been idle.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final

from prunus.conversations.held import Conversations, Request
from prunus.conversations.memory import ConversationRecord, Memory
from prunus.errors import OutOfReach
from prunus.schedule.cache_life import Hindsight, total
from prunus.settings.tables import CacheSettings

EARLIER: Final = 10
"""Earlier conversations of a user that a new one learns from, at most."""


class Warmth:
    """The life of the provider's cache, for the conversations of one pruner."""

    def __init__(self, conversations: Conversations, memory: Memory | None, settings: CacheSettings) -> None:
        self._conversations = conversations
        self._memory = memory
        self._learns = settings.lifetime == "auto" or settings.keep_alive > 0
        """Whether the settings leave a choice that depends on the pauses of the user."""

    def begun(self, memo: ConversationRecord, request: Request) -> ConversationRecord:
        """Return the pauses known for a conversation; for a new one, those of the user's earlier conversations."""
        if memo.requests or not self._learns:
            return memo
        return replace(memo, life=replace(memo.life, usual=self._earlier(request)))

    def keep_alives(self, conversation: str, request: int, most: int) -> int:
        """Return how many keep-alive requests pay after a request; 0 if the conversation has continued."""
        memo = self._memo(conversation)
        return memo.life.keep_alives(most) if memo is not None and memo.requests == request else 0

    def refresh(self, conversation: str, request: int, time: float) -> bool:
        """Record a keep-alive request after a request; False if the conversation has continued."""
        if self._memory is not None and not self._memory.refresh(conversation, request, time):
            return False
        held = self._conversations.named(conversation)
        if held is None:
            return self._memory is not None
        with held.changing:
            if held.memo.requests == request:
                held.memo = replace(held.memo, life=replace(held.memo.life, kept=time))
            return held.memo.requests == request

    def _memo(self, conversation: str) -> ConversationRecord | None:
        """Return the newest memo of a conversation, as any replica knows it."""
        kept = None
        with suppress(OutOfReach):
            kept = self._memory.load(conversation) if self._memory is not None else None
        held = self._conversations.named(conversation)
        if held is None or (kept is not None and kept.requests > held.saved):
            return kept
        return held.memo

    def _earlier(self, request: Request) -> Hindsight:
        if self._memory is not None:
            return self._memory.hindsight()
        own = [one.memo.life.own for one in self._conversations if one.owner == request.owner]
        return total(one.ended() for one in own[-EARLIER:])
