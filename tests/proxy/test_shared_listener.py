"""Workers that accept from one listener get equal shares of the connections."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from ctypes import c_int

import pytest

from prunus.proxy.shared_listener import NOT_LISTENING, Counts, SharedListener

pytestmark = pytest.mark.skipif(os.name == "nt", reason="an event loop of Windows does not watch a listener")


class Worker:
    """What one worker has accepted."""

    def __init__(self, listener: socket.socket, counts: Counts, own: int) -> None:
        self.open: list[asyncio.BaseTransport] = []
        self.socket = listener.dup()  # an event loop watches a file only once
        self.listener = SharedListener(self.socket, counts, own, lambda: len(self.open), lambda: Line(self.open))


class Line(asyncio.Protocol):
    def __init__(self, lines: list[asyncio.BaseTransport]) -> None:
        self._lines = lines

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._lines.append(transport)


def run(scene: Callable[[socket.socket, Counts], Awaitable[None]], counts: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        asyncio.run(scene(listener, (c_int * counts)(*[NOT_LISTENING] * counts)))  # type: ignore[arg-type]


async def connect(listener: socket.socket, workers: list[Worker], count: int) -> list[socket.socket]:
    """Open this many connections, and wait until all are accepted."""
    before = sum(len(worker.open) for worker in workers)
    clients = [socket.create_connection(listener.getsockname()) for _ in range(count)]
    while sum(len(worker.open) for worker in workers) < before + count:
        await asyncio.sleep(0.001)
    return clients


def close(workers: list[Worker], clients: list[socket.socket]) -> None:
    for worker in workers:
        worker.listener.close()
        worker.socket.close()
        for line in worker.open:
            line.close()
    for client in clients:
        client.close()


def test_connections_are_spread_evenly() -> None:
    async def scene(listener: socket.socket, counts: Counts) -> None:
        workers = [Worker(listener, counts, own) for own in range(3)]
        clients = [one for _ in range(10) for one in await connect(listener, workers, 3)]
        assert [len(worker.open) for worker in workers] == [10, 10, 10]
        close(workers, clients)

    run(scene, 3)


def test_a_worker_that_starts_anew_gets_the_next_connections() -> None:
    async def scene(listener: socket.socket, counts: Counts) -> None:
        first = Worker(listener, counts, 0)
        clients = await connect(listener, [first], 6)
        workers = [first, Worker(listener, counts, 1)]
        for _ in range(6):
            clients += await connect(listener, workers, 1)
        assert [len(worker.open) for worker in workers] == [6, 6]
        close(workers, clients)

    run(scene, 2)


def test_connections_for_a_worker_that_hangs_are_taken_by_another() -> None:
    async def scene(listener: socket.socket, counts: Counts) -> None:
        counts[1] = 0  # it listens, but does not accept
        worker = Worker(listener, counts, 0)
        clients = await connect(listener, [worker], 20)
        close([worker], clients)

    run(scene, 2)


def test_nobody_waits_for_a_worker_that_has_closed_its_listener() -> None:
    async def scene(listener: socket.socket, counts: Counts) -> None:
        workers = [Worker(listener, counts, own) for own in range(2)]
        workers[1].listener.close()
        workers[1].listener.tell()
        assert counts[1] == NOT_LISTENING
        close(workers, await connect(listener, workers, 5))

    run(scene, 2)


def test_a_connection_that_was_accepted_before_the_end_is_opened() -> None:
    async def scene(listener: socket.socket, counts: Counts) -> None:
        worker = Worker(listener, counts, 0)
        client = socket.create_connection(listener.getsockname())
        while counts[0] != 1:
            await asyncio.sleep(0)
        assert not worker.open
        worker.listener.close()
        await worker.listener.finish_opening()
        assert len(worker.open) == 1
        close([worker], [client])

    run(scene, 1)


def test_a_system_without_free_files_is_asked_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prunus.proxy.shared_listener._FULL", 0.01)

    class Full(socket.socket):
        refusals = 3

        def dup(self) -> Full:
            return Full(fileno=os.dup(self.fileno()))

        def accept(self) -> tuple[socket.socket, object]:
            if self.refusals:
                self.refusals -= 1
                raise OSError(24, "Too many open files")
            return super().accept()

    async def scene(listener: socket.socket, counts: Counts) -> None:
        with Full(fileno=os.dup(listener.fileno())) as full:
            worker = Worker(full, counts, 0)
            close([worker], await connect(listener, [worker], 2))
            assert worker.socket.refusals == 0

    run(scene, 1)
