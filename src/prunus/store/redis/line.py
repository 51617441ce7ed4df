"""One connection to a Redis server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, cast

from redis.backoff import NoBackoff
from redis.connection import Connection, parse_url
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from prunus.errors import SettingsError

Command = Sequence[bytes | str | int | float]
"""A command with its arguments."""

_CONNECTING: Final = 2.0
"""The seconds that each step of connecting may take. Nobody waits for all of them."""


class _Connection(Protocol):
    """What this module uses of redis-py's connections, which have no types."""

    def connect(self) -> None: ...
    def can_read(self, timeout: float = 0) -> bool: ...
    def pack_commands(self, commands: Sequence[Command]) -> list[bytes]: ...
    def send_packed_command(self, command: list[bytes], check_health: bool = True) -> None: ...
    def read_response(self, *, timeout: float) -> Any: ...
    def disconnect(self) -> None: ...


class RedisLine:
    """Sends commands to the server, and reads its replies."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    def open(self) -> None:
        """Connect, and wait until the server answers."""
        self._connection.connect()
        self.run([("PING",)], time.monotonic() + _CONNECTING)

    @property
    def lost(self) -> bool:
        """Whether the server has closed the connection, or has sent something that nobody asked for."""
        try:
            return self._connection.can_read()
        except RedisError:
            return True

    def run(self, commands: Sequence[Command], deadline: float) -> list[Any]:
        """Send commands in one go, and return their replies; a refusal is returned as ResponseError."""
        self._connection.send_packed_command(self._connection.pack_commands(commands), check_health=False)
        replies: list[Any] = []
        for _ in commands:
            try:
                replies.append(self._connection.read_response(timeout=max(0.001, deadline - time.monotonic())))
            except ResponseError as error:
                replies.append(error)
        return replies

    def close(self) -> None:
        """Close the connection."""
        self._connection.disconnect()


def line_maker(url: str, wait: float) -> Callable[[], RedisLine]:
    """Return a function that makes a line, not yet open. Raises SettingsError if the address is wrong."""
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
        kind = options.pop("connection_class", Connection)
        kind(**options)
    except (TypeError, ValueError):
        # The error may quote the password.
        raise SettingsError("store.url: this is not a valid address of a Redis server") from None
    return lambda: RedisLine(cast(_Connection, kind(**options)))
