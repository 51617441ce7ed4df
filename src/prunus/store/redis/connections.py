"""Access to a Redis server that many replicas share. The server may be slow, full, restart or vanish at any time.

A call gets a deadline of `wait` seconds. It covers the wait for a connection and for every reply. Connections are
opened in a thread of their own, because looking up a host name has no timeout. While the server is away, callers
fail at once, and the thread tries again from time to time, so the first call afterwards finds a connection.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from typing import Any, Final, Protocol, cast
from urllib.parse import urlsplit

from redis.backoff import NoBackoff
from redis.connection import Connection, parse_url
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)
from redis.retry import Retry

from prunus.errors import SettingsError
from prunus.store.redis.scripts import Script
from prunus.store.store import CommitLost, StoreError
from prunus.store.url import without_password

RedisCommand = Sequence[bytes | str | int | float]
"""A command with its arguments."""

_CONNECTING: Final = 2.0
"""The seconds that each step of connecting may take. Nobody waits for all of them."""
_CONNECTIONS: Final = 8
"""The most connections of one process."""
_PAUSE: Final = 0.5
"""The seconds after a failed connection until the next one is tried."""
_REPORT: Final = 10.0
"""The seconds that a report for people may take; no request waits for it."""


class _RedisConnection(Protocol):
    """What this module uses of redis-py's connections, which have no types."""

    def connect(self) -> None: ...
    def can_read(self, timeout: float = 0) -> bool: ...
    def pack_commands(self, commands: Sequence[RedisCommand]) -> list[bytes]: ...
    def send_packed_command(self, command: list[bytes], check_health: bool = True) -> None: ...
    def read_response(self, *, timeout: float) -> Any: ...
    def disconnect(self) -> None: ...


class RedisConnections:
    """Runs commands, and turns every failure into a StoreError."""

    def __init__(self, url: str, wait: float = 0.25) -> None:
        self.place = without_password(url)
        self._make = _connection_maker(url, wait)
        self._wait = wait
        self._changed = Condition()
        self._free: list[_RedisConnection] = []
        self._used = 0
        """The connections that callers have."""
        self._process = os.getpid()
        self._inherited: list[_RedisConnection] = []
        self._opener: Thread | None = None
        """Opens a connection, and tries again while the server is away."""
        self._opening = False
        """Whether an attempt to open a connection is under way."""
        self._fault: Exception | None = None
        """Why the last connection could not be opened."""
        self._closed = False
        self._stuck = False
        """Whether the last call found no connection in time. Later calls do not wait until one is there again."""

    def run(self, *commands: RedisCommand, report: bool = False) -> list[Any]:
        """Run commands in one round trip, and return their replies."""
        deadline = time.monotonic() + (max(self._wait, _REPORT) if report else self._wait)
        connection = self._borrow(deadline)
        usable = False
        try:
            replies = _run(connection, commands, deadline)
            usable = True
        except (RedisError, OSError) as error:
            # The other connections are lost too, or would not be answered either.
            self._drop()
            # The server may have run the commands before the connection broke.
            raise CommitLost(str(self.problem(error))) from error
        finally:
            self._give_back(connection, usable=usable)
        for reply in replies:
            if isinstance(reply, ReadOnlyError):
                # Another server is the master now; a new connection may lead to it.
                self._drop()
            if isinstance(reply, ResponseError) and not isinstance(reply, NoScriptError):
                raise self.problem(reply) from reply
        return replies

    def call(self, *calls: tuple[Script, Sequence[str | bytes], Sequence[Any]], report: bool = False) -> list[Any]:
        """Run scripts, each with its keys and arguments; a server that has restarted gets their source anew."""
        replies = self.run(*(script.command(keys, values) for script, keys, values in calls), report=report)
        unknown = [at for at, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if unknown:
            again = self.run(*(calls[at][0].source_command(*calls[at][1:]) for at in unknown), report=report)
            for at, reply in zip(unknown, again, strict=True):
                replies[at] = reply
        return replies

    def problem(self, error: Exception) -> StoreError:
        """Return a StoreError that describes an error in one sentence and names the server."""
        words = (str(error).splitlines() or [type(error).__name__])[0]
        match error:
            case OutOfMemoryError():
                return StoreError(f"the store {self.place} is full (maxmemory)")
            case ReadOnlyError():
                return StoreError(f"the store {self.place} is read-only")
            case BusyLoadingError():
                return StoreError(f"the store {self.place} is loading its data")
            case AuthenticationError():
                return StoreError(f"the store {self.place} refuses user and password")
            case ResponseError():
                return StoreError(f"the store {self.place} failed: {words}")
        return StoreError(f"the store {self.place} does not answer: {words}")

    def close(self) -> None:
        """Close the connections, those in use as soon as they are given back. A later call opens new ones."""
        with self._changed:
            self._closed = True
            self._drop()
            self._changed.notify_all()

    def _borrow(self, deadline: float) -> _RedisConnection:
        """Return a connection that no other thread uses meanwhile."""
        with self._changed:
            self._closed = False
            self._notice_fork()
            while True:
                while self._free:
                    connection = self._free.pop()
                    if not _is_lost(connection):
                        self._used += 1
                        self._stuck = False
                        return connection
                    connection.disconnect()
                self._open_one()
                left = deadline - time.monotonic()
                if self._stuck or (not self._opening and self._fault is not None) or left <= 0:
                    break
                self._changed.wait(left)
            self._stuck = True
            fault = self._fault or TimeoutError("no connection in time")
        raise self.problem(fault) from fault

    def _give_back(self, connection: _RedisConnection, *, usable: bool) -> None:
        with self._changed:
            self._used -= 1
            if usable and not self._closed:
                self._free.append(connection)
            else:
                connection.disconnect()
            self._changed.notify_all()

    def _open_one(self) -> None:
        """Begin to open a connection, unless that is under way or there are enough."""
        if self._opener is not None or self._used >= _CONNECTIONS:
            return
        self._opening = True
        self._opener = Thread(target=self._open, name="prunus-redis", daemon=True)
        self._opener.start()

    def _open(self) -> None:
        """Open a connection. Try again while that fails, unless the store is closed or has a free connection."""
        while True:
            connection, fault = self._make(), None
            try:
                connection.connect()
                _run(connection, [("PING",)], time.monotonic() + _CONNECTING)
            except Exception as error:  # a name that cannot be looked up raises other errors than OSError too
                fault = error
                connection.disconnect()
            with self._changed:
                self._opening = False
                self._fault = fault
                if fault is None and self._closed:
                    connection.disconnect()
                elif fault is None:
                    self._stuck = False
                    self._free.append(connection)
                self._changed.notify_all()
                if fault is None or self._changed.wait_for(lambda: self._closed or self._free, _PAUSE):
                    self._opener = None
                    return
                self._opening = True

    def _drop(self) -> None:
        with self._changed:
            while self._free:
                self._free.pop().disconnect()

    def _notice_fork(self) -> None:
        if self._process != os.getpid():
            # Connections inherited by a fork belong to the parent process; this process must not use them.
            self._inherited += self._free
            self._free, self._used, self._process = [], 0, os.getpid()
            self._opener, self._opening = None, False


def _run(connection: _RedisConnection, commands: Sequence[RedisCommand], deadline: float) -> list[Any]:
    """Send commands in one go, and return their replies; a refusal is returned as ResponseError."""
    connection.send_packed_command(connection.pack_commands(commands), check_health=False)
    replies: list[Any] = []
    for _ in commands:
        try:
            replies.append(connection.read_response(timeout=max(0.001, deadline - time.monotonic())))
        except ResponseError as error:
            replies.append(error)
    return replies


def _is_lost(connection: _RedisConnection) -> bool:
    """Whether the server has closed a connection, or has sent something that nobody asked for."""
    try:
        return connection.can_read()
    except RedisError:
        return True


def _connection_maker(url: str, wait: float) -> Callable[[], _RedisConnection]:
    """Return a function that makes a connection, not yet open. Raises SettingsError if the address is wrong."""
    fixed: dict[str, Any] = {
        "socket_timeout": max(wait, _CONNECTING),
        "socket_connect_timeout": max(wait, _CONNECTING),
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        "decode_responses": False,
        "client_name": "prunus",
        "health_check_interval": 0,
    }
    try:
        options: dict[str, Any] = {**parse_url(url), **fixed}  # type: ignore[no-untyped-call]
        # redis-py would take database 0 if this is not a number.
        int(urlsplit(url).path.strip("/") or 0)
        kind = options.pop("connection_class", Connection)
        kind(**options)
    except (TypeError, ValueError):
        # The error may quote the password.
        raise SettingsError(
            "store.url: this is not a valid address of a Redis server; expected redis://HOST:PORT/NUMBER"
        ) from None
    return lambda: cast(_RedisConnection, kind(**options))
