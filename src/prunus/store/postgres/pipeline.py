"""Statements that go to a Postgres server in one message.

psycopg's own pipeline sends each statement by itself. For each of them the server would wake up, and this thread
would let the other threads of its process go first. So this pipeline hands its statements to libpq, which sends
them together; psycopg's adapters read and write the values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import lru_cache
from itertools import count
from typing import Any, Final

import psycopg
from psycopg.abc import PQGen
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.waiting import Ready, Wait

_OFTEN: Final = 5
"""A connection prepares a statement the next time after so many uses."""
_MOST: Final = 100
"""The most statements that a connection prepares; some statements depend on the number of their values."""
_NOTED: Final = 1_000
"""The most statements whose uses are counted."""

StatementKey = tuple[bytes, tuple[int, ...]]
"""A statement, and the types of its values."""


class PreparedStatements:
    """The statements that one connection has prepared on the server."""

    def __init__(self) -> None:
        self.names: dict[StatementKey, bytes] = {}
        self._uses: Counter[StatementKey] = Counter()
        self._numbers = count()

    def new_name(self, key: StatementKey) -> bytes | None:
        """Return a name under which the statement shall be prepared now; None if that is not worth it."""
        if len(self.names) >= _MOST:
            return None
        if len(self._uses) >= _NOTED:
            self._uses.clear()
        self._uses[key] += 1
        return b"prunus_%d" % next(self._numbers) if self._uses[key] > _OFTEN else None


class PostgresPipeline:
    """Runs the statements that SQLite takes too; see `prunus.store.sql.database`.

    They are sent as soon as somebody reads a result, and at the latest with `send`. A failed statement raises its
    error then, and the server skips the statements after it.
    """

    def __init__(self, connection: psycopg.Connection[Any], prepared: PreparedStatements) -> None:
        self._connection = connection
        self._prepared = prepared
        self._values = Transformer(connection)
        self._waiting: list[_Preparation | PipelinedRows] = []
        """Those whose results are still to come, in the order of the results."""
        self._preparing: dict[StatementKey, bytes] = {}

    def __enter__(self) -> PostgresPipeline:
        self._connection.pgconn.enter_pipeline_mode()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> None:
        try:
            # After an error too: libpq already has the statements, and the connection may serve others later.
            with suppress(psycopg.Error) if kind is not None else nullcontext():
                self.send()
        finally:
            if not self._waiting:
                self._connection.pgconn.exit_pipeline_mode()

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> PipelinedRows:
        """Queue a statement with these values."""
        query, server, adapter = _translated(statement), self._connection.pgconn, self._values
        given = adapter.dump_sequence([_adapted(value) for value in values], [PyFormat.AUTO] * len(values))
        types, formats = adapter.types or (), adapter.formats
        key = query, types
        name = self._prepared.names.get(key) or self._preparing.get(key)
        if name is None and (name := self._prepared.new_name(key)) is not None:
            server.send_prepare(name, query, types)
            self._preparing[key] = name
            self._waiting.append(_Preparation(key, name))
        if name is None:
            server.send_query_params(query, given, types, formats)
        else:
            server.send_query_prepared(name, given, formats)
        rows = PipelinedRows(self)
        self._waiting.append(rows)
        return rows

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Queue a statement once for each row of values."""
        for values in rows:
            self.execute(statement, values)

    def ask(self, statement: str, values: Sequence[Any] = (), /) -> Callable[[], list[Any]]:
        """Queue a statement, and return a function that returns its rows."""
        return self.execute(statement, values).fetchall

    def require(self, statement: str, values: Sequence[Any] = (), /) -> None:
        """Queue a statement; it fails with psycopg.errors.DivisionByZero if it returns no row."""
        self.execute(f"WITH found AS ({statement}) SELECT 1 / count(*) FROM found", values)

    def send(self) -> None:
        """Send the statements that wait to be sent, and receive the results of all."""
        if not self._waiting:
            return
        results = self._connection.wait(self._exchange())
        waiting, self._waiting = self._waiting, []
        self._preparing.clear()
        for one, result in zip(waiting, results, strict=True):
            if result.status in (ExecStatus.FATAL_ERROR, ExecStatus.BAD_RESPONSE):
                raise error_from_result(result, self._values.encoding)
            if isinstance(one, _Preparation):
                self._prepared.names[one.key] = one.name
            elif result.status == ExecStatus.TUPLES_OK:
                self._values.set_pgresult(result)
                one.received = self._values.load_rows(0, result.ntuples, tuple)

    def _exchange(self) -> PQGen[list[PGresult]]:
        server = self._connection.pgconn
        server.pipeline_sync()
        while server.flush():
            # The server may wait until somebody takes its first results.
            if (yield Wait.RW) & Ready.R:
                server.consume_input()
        results: list[PGresult] = []
        while True:
            while server.is_busy():
                yield Wait.R
                server.consume_input()
            result = server.get_result()
            if result is None:  # It stands behind the results of each statement, and then for a lost connection.
                if server.status != ConnStatus.OK:
                    raise psycopg.OperationalError(server.get_error_message())
                continue
            if result.status == ExecStatus.PIPELINE_SYNC:
                return results
            results.append(result)


class _Preparation:
    """A statement that is being prepared."""

    def __init__(self, key: StatementKey, name: bytes) -> None:
        self.key = key
        self.name = name


class PipelinedRows:
    """The rows of a statement that may not have been sent yet."""

    def __init__(self, pipeline: PostgresPipeline) -> None:
        self._pipeline: PostgresPipeline | None = pipeline
        self.received: list[tuple[Any, ...]] | None = None

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        rows = self._rows()
        return rows.pop(0) if rows else None

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        return self._rows()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows())

    def _rows(self) -> list[tuple[Any, ...]]:
        if self.received is None and self._pipeline is not None:
            self._pipeline.send()
        self._pipeline = None
        return self.received if self.received is not None else []


def _adapted(value: Any) -> Any:
    """Return a value as the tables take it: flags as numbers, and text without NUL and lone surrogates."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and ("\0" in value or not value.isascii()):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return value


@lru_cache(maxsize=256)
def _translated(statement: str) -> bytes:
    """Return a statement with the placeholders of the server."""
    first, *others = statement.split("?")
    return "".join([first, *(f"${n}{text}" for n, text in enumerate(others, 1))]).encode()
