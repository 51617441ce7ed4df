"""No statement of a request reads a whole table or sorts one, so a request of a full store takes as long as any."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from prunus import Outcome, Pruner
from prunus.errors import Overtaken
from prunus.settings.tables import StoreSettings
from prunus.store import Exchange, open_store
from prunus.store.cipher import Cipher
from prunus.store.sql.memory import NEWEST_LIVES
from prunus.store.sql.store import SqlStore
from prunus.store.sqlite.database import Database
from tests.store.postgres_server import PostgresServer, missing
from tests.store.samples import ask, exchange, flush, links, memo, receipt
from tests.test_out_of_reach import CHOSEN, TALK

_QUERIES = {"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}


def use(store: SqlStore) -> None:
    """Call the store as the requests of two conversations do."""

    def record(outcome: Outcome[bytes]) -> None:
        row = Exchange(outcome.conversation, outcome.request, 1.0, flush=outcome.flush)
        store.record("", row, outcome.receipts)

    for at in range(1, len(TALK)):
        # Each request meets another replica, which knows nothing of the conversation.
        pruner = Pruner(CHOSEN, store.memory(""), lambda id: store.take("", id))
        outcome = pruner.prune(TALK[at], 10.0 * at, record=record)
        assert outcome.error is None
        store.ask("", outcome.conversation, "sweep 5")
        store.memory("").experience("claude")
        store.memory("").written(outcome.conversation)
        store.memory("").refresh(outcome.conversation, at, 10.0 * at + 5)
        with suppress(Overtaken):
            store.memory("").keep(memo(outcome.conversation, 4), links(4)[2:], {}, follows=links(2)[-1])
        store.save_hidden("", f"call:{at}", b"{}")
        store.hidden("", ["call:1", "call:2"])
    store.memory("").hindsight()
    cut = receipt("aaaaaa", kind="read")
    store.record("", exchange(id="one"), [cut])
    # The same exchange again, refused by the provider; then one that breaks the cache and asks for the part again.
    store.record("", exchange(id="one", shadow=True), [cut])
    store.record_all([("", exchange(request=2, flush=flush(2), asks=(ask(),)))])


def test_every_statement_of_a_request_finds_its_rows_by_an_index(path: Path) -> None:
    statements: set[str] = set()
    database = Database(path)
    for call in (database.read, database.write):
        call(lambda connection: connection.set_trace_callback(statements.add))
    use(SqlStore(database, StoreSettings(), Cipher()))
    database.close()
    with closing(sqlite3.connect(path)) as connection:
        plans = {one: _plan(connection, one) for one in statements if one.split()[0] in _QUERIES}
    assert len(plans) > 100
    assert {one: plan for one, plan in plans.items() if _reads_all_of_a_tenant(plan)} == {}


def _plan(connection: sqlite3.Connection, statement: str) -> str:
    return "; ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}"))


def _reads_all_of_a_tenant(plan: str) -> bool:
    """Whether a statement reads a whole table, or all rows of a tenant; only the newest lives need no more."""
    newest_lives = "SEARCH conversations USING INDEX lives_by_age (tenant=?)"
    plan = re.sub(r"SCAN (\d+ CONSTANT ROWS|wanted)", "", plan)
    return "SCAN" in plan or ("(tenant=?)" in plan and plan != newest_lives)


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_postgres_reads_the_newest_lives_by_an_index(postgres: PostgresServer) -> None:
    import psycopg

    with closing(open_store(postgres.url(), wait=30.0)) as store:
        store.open()
    fill = "INSERT INTO prunus.conversations (tenant, id, first, last, life) SELECT '', n, n, n, 'life' "
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f"{fill} FROM generate_series(1, 5000) n")
        connection.execute("ANALYZE prunus.conversations")
        connection.execute("SET search_path = prunus")
        rows = connection.execute(f"EXPLAIN {NEWEST_LIVES.replace('?', '%s')}", ("", 10)).fetchall()
    plan = "\n".join(line for [line] in rows)
    assert "lives_by_age" in plan
    assert "Sort" not in plan


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_postgres_reads_no_whole_table_for_a_request_while_its_tables_are_small(postgres: PostgresServer) -> None:
    """A statement that is prepared while its table is small keeps its plan when the table has grown."""
    import psycopg

    def use_once() -> None:
        store = open_store(postgres.url(), wait=30.0)
        assert isinstance(store, SqlStore)
        use(store)
        store.close()

    postgres.empty()
    use_once()
    log = postgres.folder / "log"
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("ANALYZE")
        connection.execute("ALTER ROLE prunus SET session_preload_libraries = 'auto_explain'")
        connection.execute("ALTER ROLE prunus SET auto_explain.log_min_duration = 0")
        before = log.stat().st_size
        try:
            use_once()
        finally:
            connection.execute("ALTER ROLE prunus RESET ALL")
    plans = log.read_text(errors="replace")[before:]
    assert plans.count("Index Scan") > 100
    assert [line for line in plans.splitlines() if "Seq Scan on" in line and "migrations" not in line] == []
