"""A memory that processes share: other processes are quicker, or the memory does not answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import pytest

from prunus import Outcome, Pruner, Settings
from prunus.conversations.memory import ConversationRecord, Match, nothing_else
from prunus.conversations.timing import UNKNOWN
from prunus.errors import MayBeKept, NotKept, OutOfReach, Overtaken
from prunus.schedule.ledger import Flush, Written
from tests.conversations.test_memory import Shelf
from tests.laws.test_replicas import stepwise

CHOSEN: Final = Settings(prices=[{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}])


TALK: Final = stepwise(7)


class Server(Shelf):
    """A memory on a server that may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.full = False
        self.breaks = 0
        """How many commits will not be answered."""
        self.commits = True
        """Whether a commit that is not answered is done."""
        self.ends = False
        """Whether nothing is answered after it."""

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        if self.away:
            raise OutOfReach("the store does not answer")
        return super().find(links)

    def load(self, id: str) -> ConversationRecord | None:
        if self.away:
            raise OutOfReach("the store does not answer")
        return super().load(id)

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
        follows: bytes = b"",
    ) -> None:
        if self.away or self.full:
            raise NotKept
        if self.breaks:
            self.breaks -= 1
            self.away = self.ends
            if self.commits:
                super().keep(memo, links, written, also, follows)
            raise MayBeKept
        super().keep(memo, links, written, also, follows)


def messages(outcome: Outcome[bytes]) -> list[Any]:
    return list(json.loads(outcome.body)["messages"])


def sent(pruner: Pruner, n: int, at: float = 0.0) -> Outcome[bytes]:
    return pruner.prune(TALK[n], at or 10.0 * n)


def extends(after: Outcome[bytes], before: Outcome[bytes], flush: Flush | None = None) -> bool:
    """Whether a request begins with the messages of another, up to a break that it declares."""
    older = messages(before)
    cut = len(older) if flush is None else flush.cut
    return messages(after)[:cut] == older[:cut]


def test_the_conversation_of_these_tests_has_breaks_and_cuts_of_new_messages() -> None:
    """The tests below can fail."""
    pruner = Pruner(CHOSEN, Shelf())
    outcomes = [sent(pruner, n) for n in range(len(TALK))]
    assert sum(outcome.flush is not None for outcome in outcomes) > 1
    assert any(outcome.receipts for outcome in outcomes if outcome.flush is None)
    assert all(extends(after, before, after.flush) for before, after in pairwise(outcomes))


@pytest.mark.parametrize("first", range(2, len(TALK) - 4))
def test_while_the_memory_is_away_nothing_new_is_cut_and_nothing_sent_is_rewritten(first: int) -> None:
    memory = Server()
    pruner = Pruner(CHOSEN, memory)
    outcomes = [sent(pruner, n) for n in range(first)]
    memory.away = True
    outcomes += [sent(pruner, n) for n in range(first, first + 3)]
    assert all(outcome.error is None and outcome.behind and not outcome.flush for outcome in outcomes[first:])
    assert all(extends(after, before) for before, after in pairwise(outcomes[first - 1 :]))
    memory.away = False
    after = sent(pruner, first + 3)
    assert after.error is None and not after.behind
    assert extends(after, outcomes[-1], after.flush)
    assert after.request == first + 4


@pytest.mark.parametrize("first", range(2, len(TALK) - 4))
def test_a_replica_that_is_not_up_to_date_sends_the_request_as_it_came(first: int) -> None:
    memory = Server()
    one, other = Pruner(CHOSEN, memory), Pruner(CHOSEN, memory)
    for n in range(first):
        sent((one, other)[n % 2], n)
    memory.away = True
    late = sent((other, one)[first % 2], first + 1)
    assert isinstance(late.fault, OutOfReach)
    assert late.body == TALK[first + 1]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("first", range(2, len(TALK) - 6))
def test_what_a_new_process_sends_while_the_memory_is_away_is_not_rewritten(first: int, known: bool) -> None:
    """It sends the conversation as it came, whether or not another process has cut in it before."""
    memory = Server()
    for n in range(first if known else 0):
        sent(Pruner(CHOSEN, memory), n)
    memory.away = True
    pruner = Pruner(CHOSEN, memory)
    outcomes = [sent(pruner, n) for n in range(first, first + 3)]
    assert [outcome.body for outcome in outcomes] == TALK[first : first + 3]
    memory.away = False
    outcomes += [sent(pruner, n) for n in range(first + 3, len(TALK))]
    assert any(outcome.receipts for outcome in outcomes)
    assert all(extends(after, before, after.flush) for before, after in pairwise(outcomes))


def test_a_conversation_that_begins_while_the_memory_is_away_is_remembered() -> None:
    memory = Server()
    memory.away = True
    pruner = Pruner(CHOSEN, memory)
    body = json.loads(TALK[0])
    first = pruner.prune(json.dumps({**body, "messages": body["messages"][:1]}).encode(), 0.0)
    assert first.error is None and first.conversation
    outcomes = [sent(pruner, n, 10.0 + n) for n in range(4)]
    assert {outcome.conversation for outcome in outcomes} == {first.conversation}
    memory.away = False
    after = [sent(pruner, n, 10.0 + n) for n in range(4, len(TALK))]
    assert {outcome.conversation for outcome in after} == {first.conversation}
    assert any(outcome.receipts for outcome in after)
    assert extends(after[0], outcomes[-1], after[0].flush)


@pytest.mark.parametrize("first", range(2, len(TALK) - 4))
def test_after_an_outage_another_replica_declares_that_it_may_break_the_cache(first: int) -> None:
    """The new replica cannot know how the requests in between were sent."""
    memory = Server()
    one = Pruner(CHOSEN, memory)
    before = [sent(one, n) for n in range(first)]
    memory.away = True
    during = [sent(one, n) for n in range(first, first + 3)]
    memory.away = False
    other = Pruner(CHOSEN, memory)
    after = sent(other, first + 3)
    assert after.error is None
    assert extends(after, during[-1], after.flush)
    if before[-1].edits:
        assert after.flush is not None
        assert after.flush.cut <= before[-1].edits[0].target.message
        assert after.flush.reason == UNKNOWN or after.flush.saved
    following = sent(other, first + 4).flush
    assert following is None or following.reason != UNKNOWN


@pytest.mark.parametrize("alone", [1, 2, 3])
@pytest.mark.parametrize("first", range(4, len(TALK) - 6))
def test_a_replica_that_went_on_alone_takes_over_what_another_has_saved_since(first: int, alone: int) -> None:
    """Both states may have the same number of requests."""
    memory = Server()
    one, other = Pruner(CHOSEN, memory), Pruner(CHOSEN, memory)
    for n in range(first):
        sent(one, n)
    memory.away = True
    for n in range(first, first + alone):
        sent(one, n)
    memory.away = False
    newest = sent(other, first + alone)
    after = sent(one, first + alone + 1)
    assert after.error is None
    assert extends(after, newest, after.flush)
    assert after.request == newest.request + 1


@pytest.mark.parametrize("first", range(2, len(TALK) - 2))
def test_edits_that_the_memory_did_not_save_are_not_sent(first: int) -> None:
    """Another replica that gets the next request knows all that was cut."""
    memory = Server()
    one, other = Pruner(CHOSEN, memory), Pruner(CHOSEN, memory)
    before = [sent(one, n) for n in range(first)][-1]
    memory.full = True
    outcome = sent(one, first)
    assert outcome.error is None and outcome.behind and outcome.flush is None
    assert extends(outcome, before)
    memory.full = False
    after = sent(other, first + 1)
    assert extends(after, outcome, after.flush)


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("first", range(2, len(TALK) - 2))
def test_after_a_commit_without_an_answer_the_memory_is_asked_what_it_has(first: int, commits: bool) -> None:
    memory, steady = Server(), Pruner(CHOSEN, Shelf())
    pruner = Pruner(CHOSEN, memory)
    for n in range(first):
        sent(pruner, n)
        sent(steady, n)
    memory.breaks, memory.commits = 1, commits
    outcome = sent(pruner, first)
    assert outcome.error is None
    assert outcome.body == sent(steady, first).body


def test_a_commit_without_an_answer_and_then_an_outage_leave_the_request_as_it_came() -> None:
    memory = Server()
    pruner = Pruner(CHOSEN, memory)
    for n in range(8):
        sent(pruner, n)
    memory.breaks, memory.ends = 1, True
    outcome = sent(pruner, 8)
    assert isinstance(outcome.fault, OutOfReach)
    assert outcome.body == TALK[8]


class Quicker(Shelf):
    """A memory in which another process saves a newer state before each `keep`, as often as it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0
        self.asked = 0

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
        follows: bytes = b"",
    ) -> None:
        self.asked += 1
        if self.times:
            self.times -= 1
            known = self.memos[memo.id]
            self.memos[memo.id] = replace(known, requests=known.requests + 1)
        super().keep(memo, links, written, also, follows)


@pytest.mark.parametrize("times", [1, 2])
def test_a_request_that_was_overtaken_is_pruned_again(times: int) -> None:
    memory, steady = Quicker(), Pruner(CHOSEN, Shelf())
    pruner = Pruner(CHOSEN, memory)
    for n in range(8):
        sent(pruner, n)
        sent(steady, n)
    memory.times = times
    recorded: list[int] = []
    outcome = pruner.prune(TALK[8], 80.0, record=lambda outcome: recorded.append(outcome.request))
    assert outcome.error is None
    assert outcome.body == sent(steady, 8).body
    assert outcome.request == 9 + times
    assert recorded == [9 + times]


def test_a_request_that_is_overtaken_every_time_is_sent_as_the_newest_ledger_says() -> None:
    memory = Quicker()
    pruner = Pruner(CHOSEN, memory)
    before = [sent(pruner, n) for n in range(8)][-1]
    memory.times, memory.asked = 100, 0
    outcome = sent(pruner, 8)
    assert memory.asked == 3
    assert outcome.error is None
    assert extends(outcome, before)
    assert {edit.target for edit in outcome.edits} == {edit.target for edit in before.edits}
    with pytest.raises(Overtaken):
        memory.keep(memory.memos[outcome.conversation], [], {})


class Interrupted(Shelf):
    """A memory in which something happens before the next memo is loaded."""

    meanwhile: Callable[[], object] | None = None

    def load(self, id: str) -> ConversationRecord | None:
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
        return super().load(id)


def test_a_request_that_another_process_saves_between_two_questions_makes_no_branch() -> None:
    """The memory is asked for the conversation, and then for its memo, which may be newer by then."""
    memory = Interrupted()
    first, second = Pruner(CHOSEN, memory), Pruner(CHOSEN, memory)
    for n in range(8):
        before = sent(first, n)
    memory.meanwhile = lambda: sent(first, 8)
    after = sent(second, 8)
    assert memory.meanwhile is None
    assert (after.conversation, after.request) == (before.conversation, before.request + 2)
