"""How often a request waits for a Postgres or Redis server, and how many statements it runs on Postgres."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from prunus import Outcome, Pruner
from prunus.store import Exchange, Store, open_store
from tests.kills.relay import Relay
from tests.store.postgres_server import PostgresServer
from tests.store.redis_server import RedisServer
from tests.store.samples import ask, exchange, receipt
from tests.test_out_of_reach import CHOSEN, TALK

NOW = time.time()


@dataclass
class Counted:
    """A store behind a relay that counts round trips; the log of the server tells the statements."""

    store: Store
    relay: Relay
    server: PostgresServer

    def numbers(self) -> tuple[int, int]:
        """Round trips and statements so far."""
        log = (self.server.folder / "log").read_text(errors="replace")
        return self.relay.trips, log.count("LOG:  execute") + log.count("LOG:  statement:")


@pytest.fixture
def counted(postgres: PostgresServer) -> Iterator[Counted]:
    import psycopg

    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("ALTER ROLE prunus SET log_statement = 'all'")
    try:
        with Relay(postgres.port) as relay:
            store = open_store(f"postgresql://prunus@127.0.0.1:{relay.port}/postgres", wait=30.0)
            store.open()
            yield Counted(store, relay, postgres)
            store.close()
    finally:
        with psycopg.connect(postgres.url(), autocommit=True) as connection:
            connection.execute("ALTER ROLE prunus RESET log_statement")


def pruned(pruner: Pruner, store: Store, n: int) -> Outcome[bytes]:
    """Prune a request as the proxy does: receipts are saved together with the conversation."""

    def record(outcome: Outcome[bytes]) -> None:
        if outcome.receipts:
            exchange = Exchange(outcome.conversation, outcome.request, 10.0 * n, flush=outcome.flush)
            store.record("", exchange, outcome.receipts)

    return pruner.prune(TALK[n], 10.0 * n, record=record)


def test_a_request_waits_once_for_the_server_and_once_more_where_it_cuts(counted: Counted) -> None:
    """It saves the conversation, with the receipts of its cuts. Where it cuts, it first asks for the conversation.

    psycopg waits once more for the statement that it prepares, at its sixth use.
    """
    store = counted.store
    pruner = Pruner(CHOSEN, store.memory(""), lambda id: store.take("", id))
    quiet, cutting = set(), []
    for n in range(len(TALK)):
        trips, statements = counted.numbers()
        outcome = pruned(pruner, store, n)
        assert outcome.error is None
        after = counted.numbers()
        spent = after[0] - trips, after[1] - statements
        if outcome.receipts:
            cutting.append((len(outcome.receipts), *spent))
        elif n > 1:
            quiet.add(spent)
    assert (1, 6) in quiet
    assert max(quiet) <= (2, 6)
    assert cutting
    assert all(trips <= 3 for _, trips, _ in cutting), cutting
    assert all(statements <= 9 + 8 * receipts for receipts, _, statements in cutting), cutting


def test_the_number_of_receipts_and_asks_makes_no_difference(counted: Counted) -> None:
    store, trips = counted.store, []
    for n, count in enumerate([2] * 8 + [1, 40]):
        receipts = [receipt(f"{at:06x}", at, f"{n} {at}", kind="read") for at in range(count)]
        before = counted.numbers()[0]
        store.record("", exchange(f"c{n}", 1, time=NOW, status=0), receipts)
        store.record("", exchange(f"c{n}", 2, time=NOW, status=0, asks=tuple(map(ask, range(count)))))
        trips.append(counted.numbers()[0] - before)
    # The server may begin to answer before the last of many statements is sent.
    assert trips[-1] <= trips[-2] + 2


def test_a_batch_of_exchanges_waits_as_often_as_a_single_one(counted: Counted) -> None:
    """It reads what its sums depend on, and commits; before the first one, it looks for the conversations."""
    for n in range(8):
        before = counted.numbers()[0]
        counted.store.record_all([("", exchange("c1", 10 * n + at, time=NOW)) for at in range(7)])
    assert counted.numbers()[0] - before <= 3


def test_another_replica_waits_once_more_to_find_the_conversation(counted: Counted) -> None:
    """It finds and loads the conversation, and saves it."""
    store = counted.store
    for n in range(6):
        assert Pruner(CHOSEN, store.memory("")).prune(TALK[n], 10.0 * n).error is None
    trips, _ = counted.numbers()
    assert Pruner(CHOSEN, store.memory("")).prune(TALK[6], 60.0).error is None
    assert counted.numbers()[0] - trips == 2


def test_a_new_conversation_waits_twice(counted: Counted) -> None:
    """It looks for a conversation, together with what its agent asked for again, and saves the new one."""
    pruner = Pruner(CHOSEN, counted.store.memory(""))
    for n in range(8):
        trips, _ = counted.numbers()
        assert pruner.prune([{"role": "user", "content": f"Begin with part {n}."}], 10.0 * n).error is None
        assert counted.numbers()[0] - trips == 2


def test_a_request_waits_once_for_redis_and_once_more_where_it_cuts(redis: RedisServer) -> None:
    """It saves the conversation. Where it cuts, it first asks for the conversation."""
    with Relay(redis.port) as relay:
        store = open_store(f"redis://127.0.0.1:{relay.port}/0", wait=30.0)
        store.open()
        pruner = Pruner(CHOSEN, store.memory(""), lambda id: store.take("", id))
        quiet, cutting = [], []
        for n in range(len(TALK)):
            trips = relay.trips
            outcome = pruned(pruner, store, n)
            assert outcome.error is None
            (cutting if outcome.receipts else quiet).append(relay.trips - trips)
        store.close()
    # The first requests send the source of each script.
    assert quiet[-3:] == [1, 1, 1]
    assert cutting[-3:] == [2, 2, 2]
