"""A process that sent the newest request of a conversation saves the next one without asking the store first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from prunus import Outcome, Pruner
from prunus.conversations.memory import ConversationRecord, Match, Memory, Recalled
from prunus.errors import Overtaken
from prunus.store import Store
from tests.laws.test_replicas import stepwise
from tests.store.samples import edit, links, memo, recalled
from tests.test_out_of_reach import CHOSEN, extends

Reopen = Callable[..., Store]
TALK = stepwise(3)


def save_next(memory: Memory) -> ConversationRecord:
    """Save the second request of a conversation, without asking for it."""
    saved = memo("c1", 4, (edit(2),))
    memory.keep(saved, links(4)[2:], {}, follows=links(2)[-1])
    return saved


def test_the_next_request_is_saved(reopen: Reopen) -> None:
    ours = reopen().memory("")
    ours.keep(memo("c1", 2), links(2), {})
    assert recalled(reopen().memory(""), links(4)) == (memo("c1", 2), 2)
    saved = save_next(ours)
    assert recalled(reopen().memory(""), links(4)) == (saved, 4)


def another_request_was_saved(store: Store) -> None:
    store.memory("").load("c1")
    store.memory("").keep(replace(memo("c1", 3), requests=2), links(3)[2:], {})


def another_conversation_sent_the_same_messages(store: Store) -> None:
    store.memory("").keep(memo("c2", 2), links(2), {})


def another_conversation_sent_one_more_message(store: Store) -> None:
    store.memory("").keep(memo("c2", 3), links(3)[2:], {})


def a_command_waits(store: Store) -> None:
    store.ask("", "c1", "sweep 5")


def the_conversation_was_removed(store: Store) -> None:
    store.forget("", ["c1"])


CHANGES = [
    another_request_was_saved,
    another_conversation_sent_the_same_messages,
    another_conversation_sent_one_more_message,
    a_command_waits,
    the_conversation_was_removed,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_nothing_is_saved_if_an_answer_would_have_been_another(
    reopen: Reopen, change: Callable[[Store], None]
) -> None:
    store = reopen()
    ours = store.memory("")
    ours.keep(memo("c1", 2), links(2), {})
    change(reopen())
    before = reopen().memory("").find(links(4)), reopen().memory("").load("c1")
    with pytest.raises(Overtaken):
        save_next(ours)
    assert (reopen().memory("").find(links(4)), reopen().memory("").load("c1")) == before


def test_what_another_tenant_knows_makes_no_difference(reopen: Reopen) -> None:
    ours, theirs = reopen().memory("ours"), reopen().memory("theirs")
    ours.keep(memo("c1", 2), links(2), {})
    theirs.keep(memo("c2", 4), links(4), {})
    assert save_next(ours) == reopen().memory("ours").load("c1")


class Spy:
    """A memory that notes when it is asked."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.asked = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._memory, name)

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        self.asked += 1
        return self._memory.find(links)

    def recall(self, links: Sequence[bytes], client: str) -> Recalled:
        self.asked += 1
        return self._memory.recall(links, client)


@pytest.fixture
def watched(reopen: Reopen) -> tuple[Pruner, Spy, Store]:
    store = reopen()
    memory = Spy(store.memory(""))
    return Pruner(CHOSEN, memory, lambda id: store.take("", id)), memory, store  # type: ignore[arg-type]


def prune(pruner: Pruner, n: int) -> Outcome[bytes]:
    outcome = pruner.prune(TALK[n], 10.0 * n)
    assert outcome.error is None
    return outcome


def test_only_a_request_that_cuts_asks_first(watched: tuple[Pruner, Spy, Store]) -> None:
    pruner, memory, _ = watched
    if not memory.checks:
        pytest.skip("one process, or the workers of one host, ask a store on their own disk")
    prune(pruner, 0)
    cuts = 0
    for n in range(1, len(TALK)):
        before = memory.asked
        outcome = prune(pruner, n)
        cuts += outcome.flush is not None
        assert memory.asked - before <= bool(outcome.receipts or outcome.flush)
    assert cuts


def test_a_command_is_carried_out_with_the_next_request(watched: tuple[Pruner, Spy, Store], reopen: Reopen) -> None:
    pruner, _, _ = watched
    for n in range(8):
        before = prune(pruner, n)
    store = reopen()
    store.ask("", before.conversation, "sweep 3")
    assert any(edit.strategy == "asked" for edit in prune(pruner, 8).edits)
    assert store.asked("", before.conversation) == ()


def test_a_conversation_that_was_removed_goes_on_as_it_was_sent(
    watched: tuple[Pruner, Spy, Store], reopen: Reopen
) -> None:
    pruner, _, _ = watched
    sent = [prune(pruner, n) for n in range(9)]
    assert sent[-1].edits
    assert reopen().forget("", [sent[-1].conversation]) == 1
    sent += [prune(pruner, n) for n in range(9, 12)]
    assert all(extends(after, before, after.flush) for before, after in pairwise(sent))
    last = prune(Pruner(CHOSEN, reopen().memory("")), 12)
    assert extends(last, sent[-1], last.flush)


def test_a_session_that_runs_twice_on_two_replicas_sends_the_bytes_of_one(reopen: Reopen) -> None:
    """Both replicas know a conversation with the same messages; the store knows which of them was the last."""
    steady = Pruner(CHOSEN, reopen().memory("one"))
    ours, theirs = (Pruner(CHOSEN, reopen().memory("two")) for _ in range(2))
    for n in range(12):
        for pruner, now in ((ours, 10.0 * n), (theirs, 10.0 * n + 5)):
            expected = steady.prune(TALK[n], now)
            assert pruner.prune(TALK[n], now).body == expected.body
