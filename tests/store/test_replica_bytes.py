"""Replicas that share a store send the bytes of one process, whoever gets which request (`laws/test_replicas`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest

from prunus import Settings
from prunus.conversations.memory import Memory
from prunus.store import Store
from tests.laws.test_replicas import PRICES, sent, talk

Reopen = Callable[..., Store]


class SharedStore:
    """The store of one tenant; every replica opens it anew, as another process does."""

    def __init__(self, reopen: Reopen, tenant: str) -> None:
        self._reopen = reopen
        self._tenant = tenant
        self._terminal = reopen(wait=30.0)

    def memory(self) -> Memory:
        return self._reopen(wait=30.0).memory(self._tenant)

    def ask(self, conversation: str, what: str) -> None:
        self._terminal.ask(self._tenant, conversation, what)

    def take(self, conversation: str) -> Sequence[str]:
        return self._terminal.take(self._tenant, conversation)


@pytest.mark.parametrize("held", [256, 1], ids=["", "conversations are put away"])
@pytest.mark.parametrize("prices", list(PRICES))
def test_any_replica_sends_the_bytes_of_one_process(reopen: Reopen, prices: str, held: int) -> None:
    seed = 10 * len(prices) + held
    talks = [talk(seed + n) for n in range(2)]
    chance = Random(seed)
    replicas = [chance.randrange(3) for _ in range(17)]
    settings = {"strategies": {"asked": {"enabled": True}}, "learn": False, **PRICES[prices]}

    expected = sent(Settings(**settings), talks, [0], Random(seed), 1, SharedStore(reopen, "one"))
    assert sum(flush is not None for _, flush, *_ in expected) > 1
    chosen = Settings(limits={"conversations": held}, **settings)
    assert sent(chosen, talks, replicas, Random(seed), 3, SharedStore(reopen, "three")) == expected
