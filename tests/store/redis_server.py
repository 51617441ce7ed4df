"""A Redis server of its own for the tests, in a temporary folder and on a free port."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


def missing() -> str:
    """Why there is no server; empty if there is one."""
    try:
        import redis  # noqa: F401
    except ImportError:
        return "the package of prunus[redis] is not installed"
    return "" if shutil.which("redis-server") else "no Redis server is installed (apt install redis-server)"


@dataclass
class RedisServer:
    """A running server that writes every change to its disk."""

    folder: Path
    port: int
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self) -> Any:
        """A client to look at the server, which waits for it."""
        import redis

        return redis.Redis(port=self.port, socket_timeout=30.0)

    def start(self, *more: str) -> None:
        program = shutil.which("redis-server")
        assert program is not None
        places = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        disk = ["--save", "", "--appendonly", "yes", "--appendfsync", "no"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([program, *places, *disk, *more], stdout=log, stderr=log)
        self._wait()

    def ensure_running(self) -> None:
        if self._process is None:
            self.start()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """Kill the server at once; the operating system keeps what it has written."""
        self.stop(signal.SIGKILL)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the server; connections stay open, and nobody answers."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._process.pid, signal.SIGCONT)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leave the server no memory for new data."""
        with self.client() as client:
            client.config_set("maxmemory", 1)
            try:
                yield
            finally:
                client.config_set("maxmemory", 0)

    def _wait(self) -> None:
        import redis

        deadline = time.monotonic() + 60.0
        while True:
            try:
                with self.client() as client:
                    client.ping()
                return
            except redis.ConnectionError:
                assert time.monotonic() < deadline, (self.folder / "log").read_text()
                time.sleep(0.02)


@contextmanager
def running() -> Iterator[RedisServer]:
    """Start a server, and remove it at the end."""
    folder = Path(tempfile.mkdtemp(prefix="prunus-redis-"))
    server = RedisServer(folder, free_port())
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
