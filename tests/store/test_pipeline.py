"""Statements that go to a Postgres server in one message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from prunus.store.postgres.connection import TimedConnection
from tests.store.postgres_server import PostgresServer


@pytest.fixture
def connection(server: PostgresServer) -> Iterator[TimedConnection]:
    opened = TimedConnection.connect(server.url(), failed=print, autocommit=True, prepare_threshold=None)
    opened.execute("CREATE TEMP TABLE fruits (name text PRIMARY KEY, n bigint, weight float8, picture bytea)")
    yield opened
    opened.close()


def rows(connection: TimedConnection, statement: str, *values: Any) -> list[Any]:
    with connection.together() as together:
        return together.execute(statement, values).fetchall()


def test_values_come_back_as_they_were_and_flags_as_numbers(connection: TimedConnection) -> None:
    given = (
        ("plum", 7, 0.5, b"\x00\xff"),
        ("sloe", -(2**62), 1e300, b""),
        ("grün \N{GRINNING FACE}", None, None, None),
    )
    with connection.together() as together:
        together.executemany("INSERT INTO fruits VALUES (?, ?, ?, ?)", given)
        together.execute("INSERT INTO fruits VALUES (?, ?, ?, ?)", ("a\0b\ud800", True, 2, b"x"))
    assert rows(connection, "SELECT * FROM fruits ORDER BY n") == [
        given[1],
        ("a\N{REPLACEMENT CHARACTER}b?", 1, 2.0, b"x"),
        given[0],
        given[2],
    ]


def test_a_failed_statement_raises_its_error_and_the_connection_goes_on(connection: TimedConnection) -> None:
    with pytest.raises(psycopg.errors.UniqueViolation), connection.together() as together:
        together.execute("BEGIN")
        for name in ("plum", "plum", "sloe"):
            together.execute("INSERT INTO fruits (name) VALUES (?)", (name,))
        together.execute("COMMIT")
    connection.settle()
    assert rows(connection, "SELECT * FROM fruits") == []


def test_an_error_of_the_caller_leaves_a_connection_that_can_be_used(connection: TimedConnection) -> None:
    with pytest.raises(KeyError), connection.together() as together:
        together.execute("BEGIN")
        together.execute("INSERT INTO fruits (name) VALUES (?)", ("plum",))
        raise KeyError
    connection.settle()
    assert rows(connection, "SELECT * FROM fruits") == []


def test_a_required_row_that_is_missing_divides_by_zero(connection: TimedConnection) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero), connection.together() as together:
        together.require("SELECT 1 FROM fruits WHERE name = ?", ("plum",))


def test_many_large_statements_with_large_results_do_not_block_each_other(connection: TimedConnection) -> None:
    """Neither side waits for the other to read, though both send more than the connection holds."""
    connection.deadline = None
    with connection.together() as together:
        asked = [together.ask("SELECT ?::bytea", (bytes([n]) * 200_000,)) for n in range(100)]
        assert [rows()[0][0][:1] for rows in asked] == [bytes([n]) for n in range(100)]


def test_statements_that_are_often_used_are_prepared_once(connection: TimedConnection) -> None:
    for n in range(20):
        with connection.together() as together:
            together.execute("SELECT ?::bigint + 1", (n,))
            assert together.execute("SELECT ?::bigint + 1", (n,)).fetchone() == (n + 1,)
    [[count]] = rows(connection, "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1%'")
    assert count == 1


def test_no_more_than_a_hundred_statements_are_prepared(connection: TimedConnection) -> None:
    for n in range(120):
        for _ in range(7):
            assert rows(connection, f"SELECT {n} + ?::bigint", 1) == [(n + 1,)]
    [[count]] = rows(connection, "SELECT count(*) FROM pg_prepared_statements")
    assert count == 100


def test_a_server_that_ends_the_connection_raises_an_error(server: PostgresServer) -> None:
    opened = TimedConnection.connect(server.url(), failed=print, autocommit=True)
    with pytest.raises(psycopg.OperationalError), opened.together() as together:
        together.execute("SELECT 1")
        together.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        together.execute("SELECT 2").fetchall()
    assert opened.closed
