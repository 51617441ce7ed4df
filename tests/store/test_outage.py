"""After an outage the store knows less than the process that continued without it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

import pytest

from prunus import Pruner, Settings
from prunus.conversations.memory import ConversationRecord, nothing_else
from prunus.schedule.ledger import Written
from prunus.store import Store, StoreError, open_store
from tests.conversations.test_memory import Shelf
from tests.laws.test_replicas import stepwise

DEAR_READS: Final = Settings(prices=[{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}])
TALK: Final = stepwise(7)


def request(count: int, *, words: str = "") -> bytes:
    """Return a request of a conversation with some flushes; with `words`, its newest message has one more block."""
    body = json.loads(TALK[count])
    if words:
        newest = body["messages"][-1]
        newest["content"] = [*newest["content"], {"type": "text", "text": words}]
    return json.dumps(body).encode()


def messages(body: bytes) -> list[Any]:
    return list(json.loads(body)["messages"])


@contextmanager
def locked(path: Path) -> Iterator[None]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def nothing_sent_is_rewritten(
    pruner: Pruner, out: Callable[[], Any], back: Callable[[], None], *, cuts: bool = True
) -> None:
    """Make the store fail for requests 8 to 15; then add a block of text to the newest message.

    `cuts` says whether the process goes on to cut, because no other process can use the store meanwhile.
    """
    for count in range(1, 8):
        pruner.prune(request(count), 10.0 * count)
    with out():
        outcomes = [pruner.prune(request(count), 10.0 * count) for count in range(8, 16)]
    assert any(outcome.flush for outcome in outcomes) is cuts
    last = outcomes[-1]
    assert last.error is None
    back()
    after = pruner.prune(request(15, words="Mind the time."), 160.0)
    assert after.error is None
    cut = after.flush.cut if after.flush is not None else len(messages(last.body)) - 1
    assert messages(after.body)[:cut] == messages(last.body)[:cut]


def test_after_a_lock_sent_messages_keep_their_bytes(store: Store, path: Path) -> None:
    troubles: list[StoreError] = []
    pruner = Pruner(DEAR_READS, store.memory("", troubles.append))
    nothing_sent_is_rewritten(pruner, lambda: locked(path), lambda: None)
    assert troubles


def test_workers_rewrite_nothing_that_was_sent_while_their_file_was_locked(path: Path) -> None:
    """A worker does not know what another one cuts and cannot save."""
    stores = [open_store(f"sqlite:///{path}", Settings(proxy={"workers": 2})) for _ in range(2)]
    workers = [Pruner(DEAR_READS, one.memory("", lambda _: None)) for one in stores]
    last: list[Any] = []
    for count, body in enumerate(stepwise(0)):
        with locked(path) if 3 <= count < 8 else nullcontext():
            outcome = workers[count % 2].prune(body, 10.0 * count)
        assert outcome.error is None
        cut = len(last) if outcome.flush is None else outcome.flush.cut
        assert messages(outcome.body)[:cut] == last[:cut]
        last = messages(outcome.body)
    for one in stores:
        one.close()


def test_after_a_store_came_back_empty_sent_messages_keep_their_bytes(store: Store, path: Path) -> None:
    pruner = Pruner(DEAR_READS, store.memory("", lambda _: None))
    nothing_sent_is_rewritten(pruner, lambda: locked(path), path.unlink)


class Full(Shelf):
    """The memory of one process on a full disk: reads work, writes fail."""

    checks = False

    def __init__(self) -> None:
        super().__init__()
        self.full = False

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
    ) -> None:
        if not self.full:
            super().keep(memo, links, written, also)

    @contextmanager
    def filled(self) -> Iterator[None]:
        self.full = True
        yield
        self.full = False


def test_after_a_full_disk_sent_messages_keep_their_bytes() -> None:
    memory = Full()
    nothing_sent_is_rewritten(Pruner(DEAR_READS, memory), memory.filled, lambda: None)


@pytest.mark.parametrize("missed", range(1, 7))
def test_the_next_request_saves_what_an_outage_missed(missed: int) -> None:
    """Another process continues with the same bytes, however many requests the store missed."""
    memory = Full()
    first, steady = Pruner(DEAR_READS, memory), Pruner(DEAR_READS, Shelf())
    for count in range(1, 12):
        memory.full = 4 <= count < 4 + missed
        assert first.prune(request(count), 10.0 * count).body == steady.prune(request(count), 10.0 * count).body
    second = Pruner(DEAR_READS, memory)
    for count in range(12, 17):
        assert second.prune(request(count), 10.0 * count).body == steady.prune(request(count), 10.0 * count).body


def test_a_conversation_that_began_during_an_outage_is_found_again() -> None:
    memory = Full()
    pruner, steady = Pruner(DEAR_READS, memory), Pruner(DEAR_READS, Shelf())
    for count in range(1, 12):
        memory.full = count < 5
        assert pruner.prune(request(count), 10.0 * count).body == steady.prune(request(count), 10.0 * count).body
