"""The context of a conversation is recorded, and describing it takes at most one hundredth of the time."""

from __future__ import annotations

from pathlib import Path

from prunus.conversations.context import Context
from prunus.proxy.faults import Faults
from prunus.proxy.recorder import Contexts, Recorder
from prunus.store import Exchange, open_store


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def exchange(number: int, conversation: str = "c1") -> Exchange:
    return Exchange(conversation, number, 0.0, tokens_before=10, tokens_after=8, status=200, id=f"{number}")


class Walk:
    """Works out what fills a conversation, which takes `seconds` of the thread's time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.time, self.cost = Clock(), Clock()
        self.asked: list[str] = []
        self.contexts = Contexts(self, self.time, self.cost)

    def __call__(self, tenant: str, conversation: str) -> Context:
        self.cost.now += self.seconds
        self.asked.append(conversation)
        return Context(before=len(self.asked))

    def added(self, *exchanges: Exchange) -> list[int | None]:
        """How often it was worked out before each exchange that is to be recorded."""
        found = self.contexts.added([("", one) for one in exchanges])
        return [one.context.before if one.context is not None else None for _, one in found]


def test_only_the_newest_exchange_of_a_batch_is_described() -> None:
    walk = Walk(0.001)
    assert walk.added(exchange(1), exchange(2), exchange(1, "c2")) == [None, 1, 2]
    assert walk.asked == ["c1", "c2"]


def test_an_exchange_that_comes_too_soon_is_described_later() -> None:
    walk = Walk(1.0)
    assert walk.added(exchange(1)) == [1]
    walk.time.now = 94.0
    assert walk.added(exchange(2)) == [None]
    assert walk.added(exchange(3)) == [None]
    assert walk.contexts.due() == [] and not walk.contexts.complete
    walk.time.now = 96.0
    [(_, late)] = walk.contexts.due()
    assert late.id == exchange(3).id and late.context == Context(before=2) and walk.contexts.complete
    assert walk.contexts.added([("", late)]) == [("", late)]


def test_a_newer_exchange_takes_the_place_of_one_that_came_too_soon() -> None:
    walk = Walk(1.0)
    walk.added(exchange(1))
    walk.added(exchange(2))
    walk.time.now = 101.0
    assert walk.added(exchange(3)) == [2]
    assert walk.contexts.complete


def test_many_conversations_share_the_time_for_descriptions() -> None:
    walk = Walk(0.02)
    for second in range(100):
        walk.time.now = float(second)
        walk.added(*(exchange(second, f"c{n}") for n in range(50)))
        walk.contexts.due()
    assert 45 <= len(walk.asked) <= 55, "100 seconds leave one for descriptions, which is 50 of them"
    assert len(set(walk.asked)) > 40, "those that have waited longest come first"


def test_postponed_descriptions_are_written_when_the_proxy_ends(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    walk = Walk(1.0)
    writer = Recorder(store, Faults(lambda _: None), walk)
    writer._contexts = walk.contexts
    writer._contexts.added([("", exchange(1))])
    writer.put("", exchange(2))
    writer.close()
    assert [one.before for one in store.contexts("", "c1")] == [2]
    assert [one.request for one in store.exchanges("", "c1")] == [2]
