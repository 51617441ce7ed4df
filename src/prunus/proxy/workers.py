"""Several processes that share one listener and their counters. A process that ends is replaced."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

from prunus.proxy.configuration import Configuration, Load, reloaded
from prunus.proxy.faults import LOGGER
from prunus.proxy.log import log_to_stderr
from prunus.proxy.shared_listener import NOT_LISTENING, Counts

_SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where workers count together; the library reads it when it is imported, so it is set before."""


def serve_with_workers(
    configuration: Configuration, listener: socket.socket, ready: Callable[[], None], load: Load | None
) -> None:
    """Serve with as many processes as `proxy.workers` says, until told to stop; `load` reads the settings anew."""
    with tempfile.TemporaryDirectory(prefix="prunus-metrics-") as folder:
        os.environ[_SHARED] = folder
        try:
            _supervise(configuration, listener, ready, load)
        finally:
            del os.environ[_SHARED]


@dataclass(frozen=True, slots=True)
class _Hired:
    """A worker, and the pipe over which it gets its orders."""

    process: BaseProcess
    orders: Connection

    def order(self, order: bool | Configuration) -> None:
        """Tell the worker to end, now or later, or to put a configuration into force."""
        with suppress(OSError):  # it has ended already
            self.orders.send(order)


def _supervise(
    configuration: Configuration, listener: socket.socket, ready: Callable[[], None], load: Load | None
) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    from prunus.proxy.server import END_SECONDS

    context = multiprocessing.get_context("spawn")
    stop, now, reload = threading.Event(), threading.Event(), threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: (now if stop.is_set() else stop).set())
    if load is not None:
        signal.signal(signal.SIGHUP, lambda *_: reload.set())

    count = configuration.settings.proxy.workers
    connections: Counts = context.RawArray("i", count)

    def hire(place: int) -> _Hired:
        connections[place] = NOT_LISTENING
        theirs, ours = context.Pipe(duplex=False)
        level = logging.getLogger("prunus").level
        reloads = load is not None
        given = configuration, listener, theirs, level, reloads, connections, place
        process = context.Process(target=_work, args=given)
        process.start()
        theirs.close()
        return _Hired(process, ours)

    workers = [hire(place) for place in range(count)]
    ready()
    while not stop.wait(0.5):
        if load is not None and reload.is_set():
            reload.clear()
            newer = reloaded(configuration, load)
            if newer is not None:
                configuration = newer
                for worker in workers:
                    worker.order(newer)
        for i, worker in enumerate(workers):
            if not worker.process.is_alive():
                code = worker.process.exitcode
                LOGGER.warning("a worker ended (%s), starting another", code)
                mark_process_dead(worker.process.pid)  # type: ignore[no-untyped-call]  # the library has no types
                worker.orders.close()
                workers[i] = hire(i)
    listener.close()
    for worker in workers:
        worker.order(False)
    while any(worker.process.is_alive() for worker in workers) and not now.wait(0.05):
        pass
    for worker in workers:
        worker.order(True)
    for worker in workers:
        worker.process.join(END_SECONDS)
        if worker.process.is_alive():
            worker.process.kill()


def _work(
    configuration: Configuration,
    listener: socket.socket,
    orders: Connection,
    level: int,
    reloads: bool,
    connections: Counts,
    place: int,
) -> None:
    from prunus.proxy.serve import make_app, run
    from prunus.proxy.server import Worker

    # Ctrl-C reaches the workers as well, and so may a signal to reload; they wait for the supervisor's orders.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if reloads:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    log_to_stderr(level, configuration.settings.proxy.log)
    server = Worker(configuration, make_app, connections, place)
    threading.Thread(target=server.obey, args=(orders,), name="prunus-orders", daemon=True).start()
    run(server, listener)
