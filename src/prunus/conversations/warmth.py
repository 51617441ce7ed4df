"""Which conversations a keep-alive request would help, and what is known of their users' pauses.

A keep-alive request makes no new decision about a conversation. It only says that the provider's cache was read, so
that the next request of the conversation, on any replica, knows how long the cache has been idle.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final

from prunus.conversations.held import Conversations, Request
from prunus.conversations.memory import ConversationRecord, Memory
from prunus.errors import OutOfReach
from prunus.schedule.cache_life import Hindsight, total

EARLIER: Final = 10
"""Conversations of a user that a new one learns from, at most."""


class Warmth:
    """The life of the provider's cache, for the conversations of one pruner."""

    def __init__(self, conversations: Conversations, memory: Memory | None) -> None:
        self._conversations = conversations
        self._memory = memory

    def begun(self, memo: ConversationRecord, request: Request) -> ConversationRecord:
        """What is known of a conversation; of a new one, what the user's earlier conversations tell."""
        if memo.requests:
            return memo
        return replace(memo, life=replace(memo.life, usual=self._earlier(request)))

    def keep_alives(self, conversation: str, request: int, most: int) -> int:
        """How many keep-alive requests pay after a request; none where the conversation has gone on."""
        memo = self._memo(conversation)
        return memo.life.keep_alives(most) if memo is not None and memo.requests == request else 0

    def refresh(self, conversation: str, request: int, time: float) -> bool:
        """Remember a keep-alive request after a request; False where the conversation has gone on."""
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
        """A conversation as any replica knows it."""
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
