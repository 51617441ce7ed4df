"""A Postgres server that is locked, slow, restarted, killed or unreachable raises an error soon, and recovers."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from threading import Barrier, Thread

import pytest

from prunus import Settings
from prunus.errors import NotKept, Overtaken, SettingsError
from prunus.store import NoStore, Store, StoreError, open_store
from tests.store.opening import opening
from tests.store.postgres_server import PostgresServer, missing
from tests.store.samples import edit, exchange, links, memo, recalled, receipt
from tests.store.until import until_it_works

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture
def reopen(server: PostgresServer) -> Iterator[Callable[..., Store]]:
    """Open the store as another replica would."""
    with opening(server.url()) as again:
        yield again


@pytest.fixture
def store(reopen: Callable[..., Store]) -> Store:
    """A store with the usual patience, in which one exchange is recorded."""
    store = reopen()
    until_it_works(lambda: store.record("", exchange(id="first")))
    return store


@contextmanager
def locked(server: PostgresServer, table: str = "conversations") -> Iterator[None]:
    """Another program holds a table."""
    import psycopg

    with psycopg.connect(server.url()) as other:
        other.execute(f"LOCK TABLE prunus.{table} IN ACCESS EXCLUSIVE MODE".encode())
        yield
        other.rollback()


def test_a_locked_store_fails_and_works_again_after_the_lock(
    store: Store, server: PostgresServer, reopen: Callable[..., Store]
) -> None:
    with locked(server):
        for _ in range(3):
            with pytest.raises(StoreError, match="locked by another process"):
                store.record("", exchange(request=2))
            with pytest.raises(StoreError, match="locked by another process"):
                store.memory("").load("c1")
    until_it_works(lambda: store.record("", exchange(request=2, id="again")))
    assert len(reopen(wait=30.0).exchanges("", "c1")) == 2


def test_a_server_that_does_not_answer_is_not_waited_for(
    store: Store, server: PostgresServer, reopen: Callable[..., Store]
) -> None:
    with server.frozen():
        for _ in range(5):
            with pytest.raises(StoreError, match="does not answer"):
                store.record("", exchange(request=2))
    until_it_works(lambda: store.record("", exchange(request=2, id="again")))
    assert len(reopen(wait=30.0).exchanges("", "c1")) == 2


def test_a_server_that_restarts_is_found_again(
    store: Store, server: PostgresServer, reopen: Callable[..., Store]
) -> None:
    server.stop()
    with pytest.raises(StoreError):
        store.record("", exchange(request=2))
    server.start()
    until_it_works(lambda: store.record("", exchange(request=2, id="again")))
    assert len(reopen(wait=30.0).exchanges("", "c1")) == 2


def test_connections_that_a_restart_closed_are_replaced(
    store: Store, server: PostgresServer, reopen: Callable[..., Store]
) -> None:
    server.stop()
    server.start()
    until_it_works(lambda: store.record("", exchange(request=2, id="again")))
    assert len(reopen(wait=30.0).exchanges("", "c1")) == 2


def test_a_killed_server_loses_no_receipt(
    store: Store, server: PostgresServer, reopen: Callable[..., Store]
) -> None:
    committed = []
    for round in range(5):
        for n in range(10):
            id = f"{round:03x}{n:03x}"
            until_it_works(
                lambda id=id, n=n: store.record("", exchange("c1", n, id=id), [receipt(id, int(id, 16))])
            )
            committed.append(id)
        server.kill()
        server.start()
    again = reopen(wait=30.0)
    assert {one.id for one in again.receipts("")} == set(committed)
    assert again.totals("").requests == len(committed) + 1


def test_an_unreachable_server_is_an_error_that_names_it_without_the_password() -> None:
    store = open_store("postgresql://anna:secret@127.0.0.1:1/prunus")
    with pytest.raises(StoreError, match=r"postgresql://anna@127\.0\.0\.1:1/prunus does not answer") as raised:
        store.record("", exchange())
    assert "secret" not in str(raised.value)
    store.close()


def test_an_error_says_why_there_is_no_connection(server: PostgresServer) -> None:
    store = open_store(server.url("missing"), wait=5.0)
    with closing(store), pytest.raises(StoreError, match='database "missing" does not exist'):
        store.open()


def test_an_address_that_postgres_does_not_know_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"store\.url"):
        open_store("postgresql://host/db?colour=red")


def test_looking_at_a_database_without_a_store_creates_nothing(
    reopen: Callable[..., Store], server: PostgresServer
) -> None:
    import psycopg

    with pytest.raises(NoStore):
        reopen(existing=True).sessions("")
    with psycopg.connect(server.url()) as connection:
        assert connection.execute("SELECT to_regnamespace('prunus')").fetchone() == (None,)


def test_a_store_of_a_newer_version_is_left_alone(
    store: Store, server: PostgresServer, reopen: Callable[..., Store]
) -> None:
    import psycopg

    with psycopg.connect(server.url()) as connection:
        connection.execute("INSERT INTO prunus.migrations VALUES (99)")
    with pytest.raises(StoreError, match=r"written by a newer Prunus \(version 99"):
        reopen().sessions("")


def test_the_tables_have_the_columns_of_the_sqlite_store(
    store: Store, server: PostgresServer, tmp_path: Path
) -> None:
    """Both stores share their statements, so a migration of one needs a migration of the other."""
    import psycopg

    path = tmp_path / "prunus.db"
    other = open_store(f"sqlite:///{path}")
    other.open()
    other.close()
    with closing(sqlite3.connect(path)) as file:
        tables = [name for [name] in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        wanted = {(table, row[1]) for table in tables for row in file.execute(f"PRAGMA table_info({table})")}
    query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'prunus'"
    with psycopg.connect(server.url()) as connection:
        found = set(connection.execute(query).fetchall())
    assert found - wanted == {("migrations", "n")}
    assert wanted - found == set()


def test_removed_tables_are_created_again(
    store: Store, server: PostgresServer, reopen: Callable[..., Store]
) -> None:
    import psycopg

    with psycopg.connect(server.url()) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute("DROP SCHEMA prunus CASCADE")
    with pytest.raises(StoreError):
        store.sessions("")
    until_it_works(lambda: store.record("", exchange(id="again")))
    assert [one.id for one in reopen(wait=30.0).exchanges("", "c1")] == ["again"]


def test_a_user_who_owns_the_schema_needs_no_right_to_create_one(server: PostgresServer) -> None:
    import psycopg

    with closing(psycopg.connect(server.url(), autocommit=True)) as admin:
        admin.execute("CREATE ROLE guest LOGIN")
        admin.execute("CREATE SCHEMA prunus AUTHORIZATION guest")
        store = open_store(server.url().replace("prunus@", "guest@"), wait=30.0)
        store.record("", exchange())
        found = [session.id for session in store.sessions("")]
        store.close()
        admin.execute("DROP OWNED BY guest CASCADE")
        admin.execute("DROP ROLE guest")
    assert found == ["c1"]


def test_replicas_that_start_together_create_the_tables_once(reopen: Callable[..., Store]) -> None:
    stores = [reopen(wait=30.0) for _ in range(6)]
    ready = Barrier(len(stores))
    faults: list[Exception] = []

    def start(store: Store, n: int) -> None:
        ready.wait()
        try:
            store.record("", exchange(f"c{n}"))
        except Exception as error:
            faults.append(error)

    threads = [Thread(target=start, args=(store, n)) for n, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert stores[0].totals("").requests == len(stores)


def test_a_replica_waits_at_its_start_while_another_creates_the_tables(
    reopen: Callable[..., Store], server: PostgresServer
) -> None:
    import psycopg

    from prunus.store.postgres.connection import lock_statement

    store = reopen()
    with psycopg.connect(server.url()) as other:
        statement, keys = lock_statement(())
        other.execute(statement.replace("?", "%s"), keys)
        opening = Thread(target=store.open)
        opening.start()
        opening.join(1.0)
        assert opening.is_alive()
        other.rollback()
    opening.join()
    until_it_works(lambda: store.record("", exchange()))


def test_text_that_postgres_cannot_hold_is_stored_with_a_mark(reopen: Callable[..., Store]) -> None:
    store = reopen(wait=30.0)
    store.record("", exchange(error="bad \0 and \ud83d"), [receipt("aaaaaa", original="nul \0 here")])
    [kept] = store.exchanges("", "c1")
    assert kept.error == "bad \N{REPLACEMENT CHARACTER} and ?"
    [one] = store.receipts("")
    assert store.original("", one.original) == "nul \0 here"


def test_the_state_after_a_lock_is_what_was_kept_last(
    store: Store, server: PostgresServer, reopen: Callable[..., Store]
) -> None:
    patient = reopen(wait=30.0)
    heard: list[StoreError] = []
    memory = store.memory("", heard.append)
    patient.memory("").keep(memo("c1", 2, (edit(2),)), links(2), {})
    with locked(server, "edits"), pytest.raises(NotKept):
        memory.keep(memo("c1", 4, (edit(2), edit(4))), links(4)[2:], {})
    assert len(heard) == 1
    last = memo("c1", 6, (edit(2), edit(4), edit(6)))
    patient.memory("").keep(last, links(6)[2:], {})
    assert recalled(patient.memory(""), links(6)) == (last, 6)


def test_replicas_with_crossing_writes_never_wait_for_each_other_in_a_circle(reopen: Callable[..., Store]) -> None:
    """Every exchange is counted once, and no write fails, also while old conversations are removed."""
    settings = Settings(store={"size": 64 * 1024, "days": 3})
    stores = [reopen(wait=30.0, settings=settings) for _ in range(4)]
    now = time.time()
    faults: list[Exception] = []

    def work(store: Store, seed: int) -> None:
        chance = Random(seed)
        memory = store.memory("")
        for n in range(30):
            some = [f"c{k}" for k in chance.sample(range(6), 3)]
            id = f"{seed:x}{n:05x}"
            try:
                original = chance.randbytes(2_000).hex()
                one = exchange(some[1], n, id=id, time=now), [receipt(id, 100 * seed + n, original)]
                try:
                    kept = memo(some[0], 2 * n + 2, (edit(n),), at=now)
                    memory.keep(kept, links(2, f"{some[0]} {n}"), {}, lambda one=one: store.record("", *one))
                except Overtaken:
                    store.record("", *one)
                store.record_all([("", exchange(name, n, id=f"{id} {name}", time=now)) for name in some])
                store.save_hidden("", f"k{n % 5}", b"1")
                store.ask("", some[2], "sweep")
                store.take("", some[2])
            except Exception as error:
                faults.append(error)

    threads = [Thread(target=work, args=(store, n + 1)) for n, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    totals = stores[0].totals("")
    assert totals.requests == 4 * 30 * 4
    assert totals.strategies["repeated_reads"].count == 4 * 30
