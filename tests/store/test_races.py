"""Replicas that prune one conversation at the same moment: one saves its state, the other prunes again."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from threading import Barrier, Thread
from typing import Any

import pytest

from prunus import Outcome, Pruner
from prunus.errors import Overtaken
from prunus.store import Store
from tests.conversations.test_memory import Shelf
from tests.store.samples import edit, links, memo
from tests.test_out_of_reach import CHOSEN, TALK, extends

Reopen = Callable[..., Store]


def at_once(pruners: list[Pruner], bodies: list[bytes], now: float) -> list[Outcome[bytes]]:
    """Prune one body with each pruner. All have looked at the store before the first saves its state."""
    ready = Barrier(len(pruners))

    def prune(pruner: Pruner, body: bytes) -> Outcome[bytes]:
        @cache
        def claim() -> bool:
            ready.wait()
            return True

        return pruner.prune(body, now, claim=claim)

    with ThreadPoolExecutor(len(pruners)) as pool:
        return list(pool.map(prune, pruners, bodies))


def branch(body: bytes, name: str) -> bytes:
    """A request whose newest message is another one."""
    told: dict[str, Any] = json.loads(body)
    newest = told["messages"][-1]
    return json.dumps({**told, "messages": [*told["messages"][:-1], {**newest, "content": name}]}).encode()


@pytest.mark.parametrize("first", [4, 8, 12])
def test_the_same_request_at_two_replicas_is_sent_as_one_process_sends_it_twice(reopen: Reopen, first: int) -> None:
    pruners = [Pruner(CHOSEN, reopen(wait=30.0).memory("")) for _ in range(2)]
    steady = Pruner(CHOSEN, Shelf())
    for n in range(first):
        pruners[n % 2].prune(TALK[n], 10.0 * n)
        steady.prune(TALK[n], 10.0 * n)
    for n in range(first, first + 3):
        outcomes = at_once(pruners, [TALK[n]] * 2, 10.0 * n)
        expected = [steady.prune(TALK[n], 10.0 * n) for _ in range(2)]
        outcomes.sort(key=lambda outcome: outcome.request)
        assert [one.error for one in outcomes] == [None] * 2
        assert [(one.body, one.request) for one in outcomes] == [(one.body, one.request) for one in expected]


@pytest.mark.parametrize("first", [4, 8, 12])
def test_two_branches_at_two_replicas_become_two_conversations(reopen: Reopen, first: int) -> None:
    pruners = [Pruner(CHOSEN, reopen(wait=30.0).memory("")) for _ in range(2)]
    for n in range(first):
        before = pruners[n % 2].prune(TALK[n], 10.0 * n)
    bodies = [branch(TALK[first], f"{name} " * 2_000) for name in ("left", "right")]
    outcomes = at_once(pruners, bodies, 10.0 * first)
    assert [one.error for one in outcomes] == [None] * 2
    assert len({one.conversation for one in outcomes}) == 2
    assert all(extends(one, before, one.flush) for one in outcomes)
    third = Pruner(CHOSEN, reopen(wait=30.0).memory(""))
    for body, outcome in zip(bodies, outcomes, strict=True):
        again = third.prune(body, 10.0 * first + 1)
        assert again.conversation == outcome.conversation
        assert extends(again, outcome, again.flush)


def test_of_six_replicas_each_sends_a_state_that_the_store_has_seen(reopen: Reopen) -> None:
    """Two of the others may be quicker again and again; then a replica sends what the newest ledger says."""
    pruners = [Pruner(CHOSEN, reopen(wait=30.0).memory("")) for _ in range(6)]
    steady = Pruner(CHOSEN, Shelf())
    for n in range(9):
        pruners[n % 6].prune(TALK[n], 10.0 * n)
        steady.prune(TALK[n], 10.0 * n)
    outcomes = at_once(pruners, [TALK[9]] * 6, 90.0)
    allowed = {steady.prune(TALK[9], 90.0).body for _ in range(6)}
    assert [one.error for one in outcomes] == [None] * 6
    assert {one.body for one in outcomes} <= allowed


def test_replicas_that_write_one_conversation_at_once_leave_one_of_their_ledgers(
    reopen: Reopen,
) -> None:
    """Never a mixture: each ledger has its own edits, and the last request counts most."""
    stores = [reopen(wait=30.0) for _ in range(4)]
    memories = [store.memory("") for store in stores]
    memories[0].keep(memo("c1", 2), links(2), {})
    for turn in range(2, 12):
        ready = Barrier(len(stores))

        def keep(n: int, turn: int = turn, ready: Barrier = ready) -> None:
            edits = tuple(edit(100 * n + k) for k in range(turn))
            ready.wait()
            with suppress(Overtaken):
                memories[n].keep(memo("c1", 2 * turn + 2 * n, edits), links(2 * turn + 2 * n)[-2:], {})

        threads = [Thread(target=keep, args=(n,)) for n in range(len(stores))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        newest = len(stores) - 1
        found = memories[0].load("c1")
        assert found is not None
        assert found.requests == turn + newest
        assert {one.target.message for one in found.ledger.edits} == {100 * newest + k for k in range(turn)}
