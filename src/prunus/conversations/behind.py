"""Sends a request with the edits in force when nothing new may be cut.

That is the case when the deadline has passed, or when the memory has failed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from prunus.conversations.as_before import as_before, differing
from prunus.conversations.conversation import Conversation
from prunus.conversations.held import Request
from prunus.conversations.keeping import BeforeSending, Keeping, memo_after
from prunus.conversations.lineage import Base
from prunus.errors import NotKept
from prunus.outcome import Outcome
from prunus.tokens import Counter


class WritingBehind:
    """Writes requests with the edits of their ledgers, and records them."""

    def __init__(self, keeping: Keeping, counter: Counter) -> None:
        self._keeping = keeping
        self._counter = counter

    def write(
        self,
        request: Request,
        base: Base,
        conversation: Conversation,
        commands: tuple[tuple[int, str], ...],
        sending: BeforeSending,
        *,
        alone: bool = False,
    ) -> Outcome[Any]:
        """Write the next request of a conversation with the edits of its ledger, and cut nothing new.

        The caller uses this when there is no time to look at the request. With `alone`, the memory did not answer,
        and only this process records the request.
        """
        # The rest is as fast as for any other request, so no second attempt is needed.
        sending.claim()
        memo = base.taken_over(request)
        if commands != memo.ledger.commands:
            memo = replace(memo, ledger=replace(memo.ledger, commands=commands))
        known = self._keeping.written(base) if base.conversation is not None or not alone else {}
        outcome, written = as_before(request, memo, memo.id, self._counter, known, exact=False)
        conversation.lost_cache(memo, request.read)
        memo = memo_after(memo, request, conversation)
        outcome.behind = True
        outcome.request = memo.requests
        try:
            if not alone:
                changed = differing(known, written)
                self._keeping.keep(conversation, request, base, memo, outcome, changed, sending)
        except NotKept:
            alone = True
        if alone:
            self._keeping.keep_alone(conversation, request, base, memo, sending)
        conversation.written = written
        return outcome
