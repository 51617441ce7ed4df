"""Three real proxies on one Postgres server, and a client that sends each request to any of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from random import Random
from typing import Any, Self

from aiohttp import web

from tests.kills.relay import Relay
from tests.loopback import Loopback
from tests.proxy.caller import PATIENCE, call
from tests.store.postgres_server import PostgresServer

SETTINGS = """
preset = "auto"
[proxy]
log = "json"
[agent]
offer = "off"
[[prices]]
model = "*"
read = 0.5
write = 1.0
ttl = 300
"""
"""Reads are dear against writes, so that cache breaks pay soon and often."""


class Upstream(Loopback):
    """A provider that remembers each body and when it came."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[float, bytes]] = []

    async def serve(self, http: web.Request) -> web.StreamResponse:
        body = await http.read()
        self.seen.append((time.time(), body))
        usage = {"input_tokens": 10, "output_tokens": 5}
        return web.json_response({"type": "message", "role": "assistant", "content": [], "usage": usage})


class Replica:
    """A `prunus proxy` in a process of its own, which can be killed and started again."""

    def __init__(self, number: int, folder: Path, store: str, upstream: str) -> None:
        self.number = number
        self.log = folder / f"replica-{number}.log"
        config = folder / "config.toml"
        config.write_text(SETTINGS, encoding="utf-8")
        words = ["--port", "0", "--store", store, "--upstream", f"anthropic={upstream}", "--config", str(config)]
        self._command = [sys.executable, "-m", "prunus", "proxy", *words]
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        known = len(self.lines())
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stderr=log, env={**os.environ, "NO_COLOR": "1"})
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.alive:
            said = [line["message"] for line in self.lines()[known:] if "listens on" in line.get("message", "")]
            if said:
                self.url = said[0].split()[-1]
                return
            time.sleep(0.02)
        raise AssertionError(self.log.read_text())

    def kill(self) -> None:
        """End the process at once, as when the machine loses power."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(PATIENCE)

    def lines(self) -> list[dict[str, Any]]:
        """What the log says so far."""
        if not self.log.exists():
            return []
        found = []
        for line in self.log.read_text(encoding="utf-8").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:  # a process was killed while it wrote
                continue
        return found


@dataclass
class Sent:
    """One request of the client."""

    body: bytes
    time: float
    """When it was sent for the first time."""
    attempts: int = 0
    seconds: float = 0.0
    """How long the attempt took that was answered."""
    status: int = 0


@dataclass
class Cluster:
    """The replicas, what they share, and what they ask."""

    folder: Path
    server: PostgresServer
    chance: Random
    replicas: list[Replica] = field(default_factory=list)
    upstream: Upstream = field(default_factory=Upstream)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        self._stack.enter_context(self.upstream)
        self.relay = self._stack.enter_context(Relay(self.server.port))
        store = f"postgresql://prunus@127.0.0.1:{self.relay.port}/postgres"
        for number in range(3):
            replica = Replica(number, self.folder, store, self.upstream.url)
            self.replicas.append(replica)
            self._stack.callback(lambda replica=replica: replica.alive and replica.kill())
            replica.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def send(self, body: bytes) -> Sent:
        """Send a request to any replica, and to another one where that breaks off, as agents do."""
        sent = Sent(body, time.time())
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            replica = self.chance.choice([one for one in self.replicas if one.alive] or self.replicas)
            sent.attempts += 1
            begun = time.perf_counter()
            try:
                sent.status = call(replica.url, "POST", "/v1/messages", body).status
            except (OSError, HTTPException):
                continue
            sent.seconds = time.perf_counter() - begun
            if sent.status < 500:
                return sent
        raise AssertionError("no replica answers")
