"""Records a conversation after a request: in the process, and in the memory that processes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from prunus.conversations.conversation import Conversation
from prunus.conversations.held import Conversations, Request
from prunus.conversations.lineage import Base
from prunus.conversations.memory import ConversationRecord, Match, Memory
from prunus.errors import NotKept, OutOfReach, Overtaken, TooLate
from prunus.outcome import Outcome
from prunus.schedule.ledger import Written


@dataclass(frozen=True, slots=True)
class BeforeSending:
    """Callbacks that the caller gets before a request is recorded and sent."""

    claim: Callable[[], bool]
    """Whether this outcome may be sent; False if another one was sent in the meantime."""
    record: Callable[[Outcome[Any]], None]
    """Records the cuts of the request. The memory saves them together with the conversation."""
    at_once: bool = False
    """Whether a request that takes more than a few milliseconds is left to another attempt."""


class Stale(Exception):
    """Another thread has recorded a newer request of the same conversation."""


class Keeping:
    """Records conversations in the order of their requests."""

    def __init__(self, conversations: Conversations, memory: Memory | None) -> None:
        self._conversations = conversations
        self._memory = memory

    def keep(
        self,
        conversation: Conversation,
        request: Request,
        base: Base,
        memo: ConversationRecord,
        outcome: Outcome[Any],
        written: Mapping[int, Written | None],
        sending: BeforeSending,
        *,
        alone: bool = False,
    ) -> None:
        """Record the state of a conversation after a request, first in the memory and then in the process.

        With `alone`, only the process records the state, because the memory does not answer.

        Raises Stale or Overtaken if another request came first. If the memory fails for another reason, it raises
        NotKept or OutOfReach, and the process records nothing either.
        """
        with conversation.changing:
            if conversation.memo is not (base.known or base.memo):
                raise Stale
            if not sending.claim():
                raise TooLate("the request was sent before it was looked at")
            if self._memory is None:
                sending.record(outcome)
            elif not alone:
                save = partial(self._memory.keep, memo, base.new_links, written, partial(sending.record, outcome))
                try:
                    if base.follows:
                        self._save_unasked(self._memory, save, memo, base)
                    else:
                        save()
                except Overtaken:
                    if not base.follows:
                        # The state in the memory is newer, so the next attempt must not begin with this one.
                        self._conversations.forget(conversation)
                    raise
            conversation.record(request.read, request.load, base.links)
            if not alone:
                # First the number, so that whoever sees the new memo sees the new number too.
                conversation.saved = memo.requests
            conversation.memo = memo
        self._conversations.remember(conversation)

    def _save_unasked(
        self, memory: Memory, save: Callable[..., None], memo: ConversationRecord, base: Base
    ) -> None:
        """Save the state of a conversation of which the memory was not asked before.

        A memory that does not answer may still save it later. That makes no difference unless the ledger changes:
        every process sends the same bytes then. A new ledger is saved only if the memory answers a question first.
        """
        try:
            if memo.ledger == base.memo.ledger:
                save(follows=base.follows)
                return
            found = memory.find(base.links)
        except OutOfReach as error:
            raise NotKept(str(error)) from error
        depth = base.memo.depth
        if list(found) != [Match(memo.id, depth, base.memo.requests, depth, commands=False)]:
            raise Overtaken(f"another process knows more of the conversation {memo.id}")
        save()

    def written(self, base: Base) -> Mapping[int, Written | None]:
        """Return the known messages of a conversation that are sent in another form than they came."""
        held = base.conversation
        if held is not None and held.memo is base.memo:
            if held.in_force is not base.memo.ledger:
                return held.written
            written = held.engine.rendering.written(held.last.raw)
            # Another thread may have made other edits in the meantime. Then each message is rendered again.
            return written if held.memo is base.memo and held.in_force is base.memo.ledger else {}
        return self._memory.written(base.memo.id) if self._memory is not None and base.parent else {}


def memo_after(memo: ConversationRecord, request: Request, conversation: Conversation) -> ConversationRecord:
    """Return the memo of a conversation after a request."""
    return replace(
        memo,
        depth=len(request),
        requests=memo.requests + 1,
        seen=request.now,
        prompt=conversation.prompt_digest,
    )
