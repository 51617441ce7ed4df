"""A door to a server, through which bytes pass, pass late, or do not pass."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self

_FLUSH = b"H\0\0\0\4"
"""What psycopg sends after the end of a pipeline without waiting for anything."""


class Relay:
    """Leads connections from a port of its own to a server; replicas know only this port."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="relay", daemon=True)
        self._delay = 0.0
        self._open = threading.Event()
        self._open.set()
        self._lines: set[asyncio.StreamWriter] = set()
        self.trips = 0
        """How often a client has said something after an answer, or for the first time."""
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]

    def __enter__(self) -> Self:
        self._thread.start()
        starting = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._lead, sock=self._door), self._loop)
        self._server = starting.result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        for line in tuple(self._lines):
            line.transport.abort()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)

    @contextmanager
    def slow(self, seconds: float) -> Iterator[None]:
        """Let every answer of the server come late."""
        self._delay = seconds
        yield
        self._delay = 0.0

    @contextmanager
    def unreachable(self) -> Iterator[None]:
        """Close all connections, and accept new ones without leading them anywhere."""
        self._open.clear()
        self._cut()
        yield
        self._open.set()
        self._cut()

    def _cut(self) -> None:
        def cut() -> None:
            for line in tuple(self._lines):
                line.transport.abort()

        self._loop.call_soon_threadsafe(cut)

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with self._known(writer), suppress(OSError):
            if not self._open.is_set():
                await reader.read()
                return
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
            with self._known(far_writer):
                answered = asyncio.Event()
                answered.set()
                await asyncio.gather(
                    self._ask(reader, far_writer, answered), self._answer(far_reader, writer, answered)
                )

    @contextmanager
    def _known(self, line: asyncio.StreamWriter) -> Iterator[None]:
        self._lines.add(line)
        try:
            yield
        finally:
            self._lines.discard(line)
            line.close()

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answered: asyncio.Event
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                if data != _FLUSH:
                    self.trips += answered.is_set()
                    answered.clear()
                writer.write(data)
                await writer.drain()
        writer.close()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answered: asyncio.Event
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                if self._delay:
                    await asyncio.sleep(self._delay)
                answered.set()
                writer.write(data)
                await writer.drain()
        writer.close()
