"""Writes a request with the edits that are already in force, and cuts nothing new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prunus.conversations.conversation import count_around
from prunus.conversations.held import Request
from prunus.conversations.memory import ConversationRecord
from prunus.engine import render_ledger
from prunus.outcome import Outcome, Report, as_given
from prunus.schedule.ledger import Written
from prunus.tally import Tally, category_of
from prunus.tokens import Counter
from prunus.view.uses import weigh


def as_before(
    request: Request,
    memo: ConversationRecord,
    name: str,
    counter: Counter,
    known: Mapping[int, Written | None],
    *,
    exact: bool = True,
) -> tuple[Outcome[Any], dict[int, Written]]:
    """Write a request with the edits in the ledger of its conversation; an empty `name` means no conversation.

    `known` are the changed messages as they were sent before. Unless `exact` is set, the tokens of messages that
    were not counted before are guessed from their length. Edits that save nothing are not in the ledger and so not
    counted.

    Returns the outcome, and the messages that are not sent as they came.
    """
    read, load, ledger = request.read, request.load, memo.ledger
    if not name:
        return Outcome(request.body, report=Report(format=read.format.name, model=request.model)), {}
    written = render_ledger(read.format.name, ledger, len(read), load, read.raw, known)
    body = request.body
    if written:
        texts = {index: one.text for index, one in written.items()}
        body = as_given(body, read.assemble([*texts], texts, [*texts]))
    new = range(memo.depth if memo.account.tokens else 0, len(read))
    if exact:
        more = sum(weigh(part, counter) for index in new for part in load(index).parts)
    else:
        more = sum(len(read.raw(index)) for index in new) // 4
    before = count_around(read, counter) + memo.account.tokens + more
    added = sum(counter.count(tag.text) for tag in ledger.tags if tag.added)
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


def differing(
    before: Mapping[int, Written | None], after: Mapping[int, Written | None]
) -> dict[int, Written | None]:
    """Return the messages whose sent form differs from the last request."""
    return {i: after.get(i) for i in before.keys() | after.keys() if before.get(i) != after.get(i)}
