"""The Prunus proxy as a process of its own, as a user starts it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["Proxy"]

PATIENCE = 30.0


class Proxy:
    """`prunus proxy` on a free port, with its store in a folder; it can be killed and started again."""

    def __init__(self, upstream: str, folder: Path, *options: str) -> None:
        self.log = folder / "proxy.log"
        self.store = f"sqlite:///{folder / 'store.db'}"
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        named = [f"--upstream={name}={upstream}" for name in ("anthropic", "openai", "gemini")]
        self._command = [
            sys.executable, "-m", "prunus", "proxy", "--port", str(self._port), *named, "--store", self.store,
            *options,
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The base URL, without `/v1`."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the process and wait until it answers."""
        # No settings of the user, and no working folder with settings in it.
        keep = {key: value for key, value in os.environ.items() if not key.startswith(("PRUNUS_", "XDG_"))}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                env=keep | {"HOME": str(self._folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        end = time.monotonic() + PATIENCE
        while not self._healthy():
            assert self._process.poll() is None, f"the proxy ended: {self.log.read_text()}"
            assert time.monotonic() < end, f"the proxy does not answer: {self.log.read_text()}"
            time.sleep(0.05)

    def kill(self) -> None:
        """End it at once, without a chance to tidy up."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as a service manager does, so that it writes what it has counted."""
        self._end(signal.SIGTERM)

    def restart(self) -> None:
        """Kill it and start it again on the same port and store."""
        self.kill()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
