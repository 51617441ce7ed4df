"""While Redis is away nothing new is cut, and nothing that was sent is rewritten when it is back."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import pairwise
from threading import Thread

import pytest

from prunus import Outcome, Pruner
from prunus.store import Store, StoreError, open_store
from tests.store import redis_server
from tests.store.redis_server import RedisServer, missing
from tests.store.test_outage import DEAR_READS, nothing_sent_is_rewritten, request
from tests.store.until import until_it_works
from tests.test_out_of_reach import extends

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture
def opened() -> Iterator[Callable[[str], tuple[Pruner, Store, list[StoreError]]]]:
    """Make a pruner with the store of a URL, the store, and a list of the store's errors."""
    stores: list[Store] = []

    def make(url: str) -> tuple[Pruner, Store, list[StoreError]]:
        store = open_store(url)
        stores.append(store)
        until_it_works(store.open)
        troubles: list[StoreError] = []
        return Pruner(DEAR_READS, store.memory("", troubles.append)), store, troubles

    yield make
    for store in stores:
        store.close()


Opened = Callable[[str], tuple[Pruner, Store, list[StoreError]]]


def _answers(store: Store) -> None:
    """Wait until the store answers again."""
    until_it_works(store.open)


def test_after_silence_sent_messages_keep_their_bytes(redis: RedisServer, opened: Opened) -> None:
    pruner, store, troubles = opened(redis.url)
    nothing_sent_is_rewritten(pruner, redis.frozen, lambda: _answers(store), cuts=False)
    assert troubles


def test_after_a_full_server_sent_messages_keep_their_bytes(redis: RedisServer, opened: Opened) -> None:
    pruner, store, troubles = opened(redis.url)
    nothing_sent_is_rewritten(pruner, redis.full, lambda: _answers(store), cuts=False)
    assert any("full" in str(error) for error in troubles)


@pytest.mark.parametrize("how", ["flushed", "not flushed"])
def test_after_a_restart_sent_messages_keep_their_bytes(redis: RedisServer, opened: Opened, how: str) -> None:
    @contextmanager
    def stopped() -> Iterator[None]:
        redis.kill()
        yield
        redis.start()

    def back() -> None:
        if how == "flushed":
            with redis.client() as client:
                client.flushall()
        _answers(store)

    pruner, store, troubles = opened(redis.url)
    nothing_sent_is_rewritten(pruner, stopped, back, cuts=False)
    assert troubles


def test_the_store_connects_again_by_itself(redis: RedisServer) -> None:
    """If only a request could make it connect, that request would go unchanged, which breaks the prompt cache."""
    store = open_store(redis.url)
    until_it_works(store.open)
    redis.kill()
    with pytest.raises(StoreError):
        store.open()
    redis.start()
    for thread in _connecting():
        thread.join(30.0)
    store.open()
    store.close()


def test_a_store_that_is_closed_stops_trying_to_connect(redis: RedisServer) -> None:
    others = _connecting()
    store = open_store(redis.url)
    redis.kill()
    with pytest.raises(StoreError):
        store.open()
    [trying] = _connecting() - others
    store.close()
    trying.join(30.0)
    assert not trying.is_alive()


def _connecting() -> set[Thread]:
    """The threads that open connections; a store of an earlier test may still have one for a moment."""
    return {thread for thread in threading.enumerate() if thread.name == "prunus-redis"}


class Switch:
    """A port that leads to the server that is the master now."""

    def __init__(self, port: int) -> None:
        self.target = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._door.getsockname()[1]}/0"
        self._open: list[socket.socket] = []
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def lead_to(self, port: int) -> None:
        """Lead new connections to another server, and close the open ones."""
        self.target = port
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.lead_to(0)
        # Only a connection wakes the thread that waits for one.
        socket.create_connection(self._door.getsockname()).close()
        self._thread.join()
        for one in (self._door, *self._open):
            one.close()

    def _serve(self) -> None:
        while True:
            near, _ = self._door.accept()
            self._open.append(near)
            if not self.target:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            self._open.append(far)
            for one, other in ((near, far), (far, near)):
                Thread(target=_copy, args=(one, other), daemon=True).start()


def _copy(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65_536):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_RDWR)


def test_after_a_failover_that_lost_the_newest_ledgers_sent_messages_keep_their_bytes(
    redis: RedisServer, opened: Opened
) -> None:
    with redis_server.running() as second:
        switch = Switch(redis.port)
        pruner, _, _ = opened(switch.url)

        @contextmanager
        def failover() -> Iterator[None]:
            # The second server has what the first one had at this moment; all later writes are lost to it.
            with redis.client() as one, second.client() as two:
                for key in one.keys():  # noqa: SIM118
                    two.restore(key, 0, one.dump(key))
            yield
            switch.lead_to(second.port)

        nothing_sent_is_rewritten(pruner, failover, lambda: None)
        switch.close()


def test_a_second_replica_goes_on_from_what_was_sent_after_an_outage(redis: RedisServer) -> None:
    """The first request after the outage saves what was missed, so any replica can go on."""
    store, other = open_store(redis.url, wait=2.0), open_store(redis.url, wait=30.0)
    first, second = Pruner(DEAR_READS, store.memory("", lambda _: None)), Pruner(DEAR_READS, other.memory(""))
    until_it_works(store.open)
    sent: list[Outcome[bytes]] = []
    for count in range(1, 17):
        pruner = first if count < 12 else second
        with redis.frozen() if count in range(4, 8) else nullcontext():
            sent.append(pruner.prune(request(count), 10.0 * count))
        until_it_works(store.open)
    assert [outcome.error for outcome in sent] == [None] * 16
    assert sum(outcome.behind for outcome in sent) == 4
    assert all(extends(after, before, after.flush) for before, after in pairwise(sent))
    store.close()
    other.close()
