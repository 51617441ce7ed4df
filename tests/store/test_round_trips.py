"""How often a request waits for a Postgres server, and how many statements it runs there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from prunus import Outcome, Pruner
from prunus.store import Exchange, Store, open_store
from tests.kills.relay import Relay
from tests.store.postgres_server import PostgresServer, missing
from tests.test_out_of_reach import CHOSEN, TALK

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


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


def test_a_request_waits_four_times_for_the_server_and_more_often_where_it_cuts(counted: Counted) -> None:
    """It looks for the conversation and for commands, compares the state under a lock, and commits.

    psycopg waits once more for each statement that it prepares, at its sixth use.
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
    assert (4, 9) in quiet
    assert max(quiet) <= (6, 9)
    assert cutting
    assert all(trips <= 7 + 6 * receipts for receipts, trips, _ in cutting), cutting
    assert all(statements <= 22 + 10 * receipts for receipts, _, statements in cutting), cutting


def test_another_replica_waits_twice_more_to_load_the_conversation(counted: Counted) -> None:
    """It looks for the conversation, loads it in two steps, compares the state under a lock, and commits."""
    store = counted.store
    for n in range(6):
        assert Pruner(CHOSEN, store.memory("")).prune(TALK[n], 10.0 * n).error is None
    trips, _ = counted.numbers()
    assert Pruner(CHOSEN, store.memory("")).prune(TALK[6], 60.0).error is None
    assert counted.numbers()[0] - trips == 5
