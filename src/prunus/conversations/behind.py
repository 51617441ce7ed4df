"""Sends a request with the edits in force when nothing new may be cut.

That is the case when the deadline has passed, or when the memory has failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from prunus.conversations.assembly import Assembly
from prunus.conversations.conversation import Conversation, count_around
from prunus.conversations.held import Conversations, Request
from prunus.conversations.keeping import BeforeSending, Keeping, Stale, memo_after
from prunus.conversations.lineage import Base, find_base
from prunus.conversations.memory import ConversationRecord
from prunus.engine import render_ledger
from prunus.errors import NotKept, OutOfReach
from prunus.outcome import Outcome, Report, as_given
from prunus.schedule.ledger import Written
from prunus.tally import Tally, category_of
from prunus.view.uses import weigh


class WritingBehind:
    """Writes requests with the edits of their ledgers."""

    def __init__(self, keeping: Keeping, conversations: Conversations, assembly: Assembly) -> None:
        self._keeping = keeping
        self._conversations = conversations
        self._assembly = assembly

    def hold(self, request: Request, base: Base) -> Outcome[Any]:
        """Write a request with the edits in force in the conversation that it continues, and record nothing."""
        if not base.parent or base.left > base.memo.depth:
            return Outcome(request.body, report=Report(format=request.read.format.name, model=request.model))
        known = self._keeping.written(base)
        return self._as_before(request, base.taken_over(request), base.parent, known, exact=True)[0]

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
        outcome, written = self._as_before(request, memo, memo.id, known, exact=False)
        conversation.lost_cache(memo, request.read)
        memo = memo_after(memo, request, conversation)
        outcome.behind = True
        outcome.request = memo.requests
        changed = {i: written.get(i) for i in known.keys() | written.keys() if known.get(i) != written.get(i)}
        keep = partial(self._keeping.keep, conversation, request, base, memo, outcome, changed, sending)
        try:
            keep(alone=alone)
        except NotKept:
            keep(alone=True)
        conversation.written = written
        return outcome

    def alone(self, request: Request, sending: BeforeSending) -> Outcome[Any]:
        """Write a request with the edits in force while the shared memory does not answer.

        Raises OutOfReach if another process may have changed these edits; the request is then sent unchanged. A
        conversation that this process has never seen begins without edits. It goes on from there when the memory
        answers again, even if the memory knows it with edits, because the provider now has it without.
        """
        while True:
            base = find_base(request, self._conversations, None)
            if base.parent and not base.follows_directly(request):
                raise OutOfReach("the store cannot be used, and another process may know more of the conversation")
            held = base.conversation
            conversation = held or base.begin(request, self._assembly.engine(request.read, base.memo.learned))
            try:
                commands = base.memo.ledger.commands
                outcome = self.write(request, base, conversation, commands, sending, alone=True)
            except Stale:
                continue
            outcome.continues = base.continuation(request, conversation)
            return outcome

    def _as_before(
        self,
        request: Request,
        memo: ConversationRecord,
        name: str,
        known: Mapping[int, Written | None],
        *,
        exact: bool,
    ) -> tuple[Outcome[Any], dict[int, Written]]:
        """Write a request with the edits in the ledger of a conversation of this name.

        `known` are the changed messages as they were sent before. Unless `exact` is set, the tokens of messages
        that were not counted before are guessed from their length. Edits that save nothing are not in the ledger
        and so not counted.

        Returns the outcome, and the messages that are not sent as they came.
        """
        read, load, ledger, count = request.read, request.load, memo.ledger, self._assembly.counter.count
        written = render_ledger(read.format.name, ledger, len(read), load, read.raw, known)
        body = request.body
        if written:
            texts = {index: one.text for index, one in written.items()}
            body = as_given(body, read.assemble([*texts], texts, [*texts]))
        new = range(memo.depth if memo.account.tokens else 0, len(read))
        if exact:
            more = sum(weigh(part, self._assembly.counter) for index in new for part in load(index).parts)
        else:
            more = sum(len(read.raw(index)) for index in new) // 4
        before = count_around(read, self._assembly.counter) + memo.account.tokens + more
        added = sum(count(tag.text) for tag in ledger.tags if tag.added)
        strategies: dict[str, Tally] = {}
        categories: dict[str, Tally] = {}
        causes = {(edit.strategy, edit.cause) for edit in ledger.edits}
        for edit in ledger.edits:
            # The input of a call that was removed together with its result does not count as a prune of its own.
            alone = not edit.follows or (edit.follows, edit.cause) not in causes
            tally = strategies.get(edit.counted_as, Tally())
            strategies[edit.counted_as] = tally.add(alone, edit.saved)
            if exact:
                kind = category_of(type(load(edit.target.message).parts[edit.target.part]))
                categories[kind] = categories.get(kind, Tally()).add(1, edit.saved)
        after = before - sum(edit.saved for edit in ledger.edits) + added
        report = Report(before, after, strategies, categories, read.format.name, request.model, len(read))
        lifetime = memo.life.standing(request.lifetime)
        outcome = Outcome(
            body, ledger.edits, report=report, conversation=name, request=memo.requests, lifetime=lifetime
        )
        return outcome, written
