"""A Postgres server of its own for the tests, in a temporary folder and on a free port."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_USER: Final = "prunus"
_QUICK: Final = ("fsync = off", "max_wal_size = 64MB")
"""Settings for tests. A server that was killed reads its log again from the last checkpoint on."""


def programs() -> Path | None:
    """The folder with the programs of the server; Debian does not put it on the PATH."""
    on_path = shutil.which("pg_ctl")
    if on_path is not None:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def missing() -> str:
    """Why there is no server; empty if there is one."""
    try:
        import psycopg_pool  # noqa: F401
    except ImportError:
        return "the packages of prunus[postgres] are not installed"
    return "" if programs() is not None else "no Postgres server is installed (apt install postgresql)"


@dataclass(frozen=True)
class PostgresServer:
    """A running server."""

    folder: Path
    port: int

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/{database}"

    def empty(self) -> None:
        """Remove the store."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("SET client_min_messages = warning")
            connection.execute("DROP SCHEMA IF EXISTS prunus CASCADE")

    def start(self) -> None:
        self._control("start", "-w", "-o", f"-p {self.port}", "-l", str(self.folder / "log"))

    def ensure_running(self) -> None:
        if not (self.folder / "data" / "postmaster.pid").exists():
            self.start()

    def stop(self, how: str = "fast") -> None:
        self._control("stop", "-w", "-m", how)

    def kill(self) -> None:
        """Kill the server and all its processes at once, as when the machine loses power."""
        killed = self.processes()
        for process in killed:
            _send(process, signal.SIGKILL)
        while any(map(_alive, killed)):
            time.sleep(0.01)
        (self.folder / "data" / "postmaster.pid").unlink()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all processes of the server; connections stay open, and nobody answers."""
        stopped = self.processes()
        for process in stopped:
            _send(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in stopped:
                _send(process, signal.SIGCONT)

    def processes(self) -> list[int]:
        """The server and its children, the server first."""
        first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return [first, *map(int, children)]

    def _control(self, *words: str) -> None:
        _run("pg_ctl", "-D", str(self.folder / "data"), *words)


@contextmanager
def running(settings: Sequence[str] = _QUICK) -> Iterator[PostgresServer]:
    """Create a server with these settings, start it, and remove it at the end."""
    # The folders of pytest belong to the user of the tests, which may be root; the server runs as another user.
    folder = Path(tempfile.mkdtemp(prefix="prunus-pg-"))
    try:
        if os.getuid() == 0:
            shutil.chown(folder, "postgres")
        _run("initdb", "-D", str(folder / "data"), "-U", _USER, "-A", "trust", "-N", "-E", "UTF8", "--no-locale")
        with (folder / "data" / "postgresql.conf").open("a") as file:
            lines = ("listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", *settings)
            file.writelines(f"{line}\n" for line in lines)
        server = PostgresServer(folder, _free_port())
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(program: str, *words: str) -> None:
    folder = programs()
    assert folder is not None
    # The server refuses to run as root.
    user = "postgres" if os.getuid() == 0 else None
    done = subprocess.run(
        [str(folder / program), *words], user=user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert done.returncode == 0, done.stderr.decode()


def _send(process: int, what: signal.Signals) -> None:
    """Send a signal; a process of the server that has ended since it was listed needs none."""
    with suppress(ProcessLookupError):
        os.kill(process, what)


def _alive(process: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
