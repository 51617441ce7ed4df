"""A user who pauses between two turns, on a clock that a test moves, before a provider whose cache expires."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from prunus.agent.layer import AgentLayer
from prunus.proxy.app import App
from prunus.proxy.keep_alive import Clock
from prunus.proxy.serve import Background
from prunus.schedule.prices import price_of
from prunus.settings import Settings
from prunus.store import Totals, open_store
from tests.upstream import Read, Request, Run, Script, Step, Upstream
from tests.upstream.bill import Bill, billed, unpruned
from tests.upstream.player import Player

__all__ = ["KEY", "FakeClock", "PausedSession", "until"]

PATIENCE = 600.0
KEY = "a-key-that-nobody-may-write-down"
MODEL = "claude-sonnet-4-5"
TURNS = 8


class FakeClock(Clock):
    """A clock that stands still until a test moves it; who sleeps wakes when its time has come."""

    def __init__(self) -> None:
        self._now = 1_800_000_000.0
        self._lock = threading.Lock()
        self._asleep: list[tuple[float, asyncio.AbstractEventLoop, asyncio.Event]] = []

    def time(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        with self._lock:
            entry = self._now + seconds, asyncio.get_running_loop(), woken
            self._asleep.append(entry)
        if seconds <= 0:
            self._wake(entry)
        try:
            await woken.wait()
        finally:
            with self._lock:
                self._asleep = [other for other in self._asleep if other is not entry]

    @property
    def asleep(self) -> int:
        with self._lock:
            return len(self._asleep)

    def advance(self, seconds: float) -> None:
        with self._lock:
            self._now += seconds
            due = [entry for entry in self._asleep if entry[0] <= self._now]
        for entry in due:
            self._wake(entry)

    def _wake(self, entry: tuple[float, asyncio.AbstractEventLoop, asyncio.Event]) -> None:
        """Who is woken does not sleep from this moment on, even if its thread has yet to run."""
        with self._lock:
            self._asleep = [other for other in self._asleep if other is not entry]
        entry[1].call_soon_threadsafe(entry[2].set)


def until(true: Any) -> None:
    """Wait for something that other threads bring about."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def script() -> Script:
    steps = [
        step
        for turn in range(TURNS)
        for step in (
            Step((Read(f"file{turn}.py"),), f"I look at file {turn}."),
            Step((Run(f"make check-{turn}"),), f"And at check {turn}."),
            Step(text=f"Turn {turn} is done."),
        )
    ]
    return Script(tuple(steps), root="/project")


def result(name: str, arguments: Any) -> str:
    return "".join(f"{json.dumps(arguments)} has line {n} of {name}\n" for n in range(120))


class PausedSession:
    """One conversation with a proxy, or with several in turn that share a store."""

    def __init__(self, folder: Path, *, replicas: int = 1, **cache: Any) -> None:
        self.clock = FakeClock()
        self.store = f"sqlite:///{folder / 'store.db'}"
        self.up = Upstream(script(), clock=self.clock.time)
        self._replicas = replicas
        self._cache = cache
        self._open = ExitStack()
        self._sent: list[tuple[float, bytes]] = []
        self.apps: list[App] = []
        self.urls: list[str] = []

    def __enter__(self) -> Self:
        self._open.enter_context(self.up)
        shadow = self._cache.pop("shadow", False)
        preset = self._cache.pop("preset", "off")
        agent = self._cache.pop("agent", {"offer": "off"})
        settings = Settings(
            preset=preset,
            proxy={"port": 0, "deadline": 600.0, "shadow": shadow},
            store={"url": self.store},
            upstreams=dict.fromkeys(("anthropic", "openai", "gemini"), self.up.url),
            agent=agent,
            cache=self._cache,
        )
        for _ in range(self._replicas):
            store = open_store(settings.store.url, settings)
            app = App(settings, store, AgentLayer(settings, store), clock=self.clock)
            self.apps.append(app)
            self.urls.append(self._open.enter_context(Background(settings, make=lambda app=app: app)).url)
        self.player = Player(self.urls[0], "anthropic_messages", result=result)
        self.player.body["thinking"] = {"type": "adaptive"}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def step(self) -> bool:
        """Send one request; False when the model has ended the turn."""
        self._mark_newest()
        going = self.player.step({"authorization": f"Bearer {KEY}"})
        self._sent.append((self.clock.time(), self.up.requests[-1].bytes))
        return going

    def turn(self) -> None:
        """Send requests until the model has ended the turn, with ten seconds for each tool."""
        while self.step():
            self.clock.advance(10)
        self.settle()

    def speak(self, words: str = "Go on.") -> None:
        """The user says something, and the model does its turn."""
        self.player.body["messages"].append({"role": "user", "content": words})
        self.turn()

    def pause(self, *seconds: float) -> None:
        """The user lets time pass, in steps."""
        for some in seconds:
            self.clock.advance(some)
            self.settle()

    def settle(self) -> None:
        """Wait until the proxies have no request under way, and wait for the clock or for nothing."""
        until(lambda: not any(app.metrics.open._value.get() for app in self.apps))
        until(lambda: sum(len(app._keep_alive._waiting) for app in self.apps) == self.clock.asleep)

    @property
    def keep_alives(self) -> list[Request]:
        """Those that reached the provider."""
        return [request for request in self.up.requests if request.body["max_tokens"] == 0]

    @property
    def paid(self) -> Bill:
        """What the provider has charged."""
        return billed(self.up.requests, price_of(MODEL))

    @property
    def alone(self) -> Bill:
        """What it would have charged for the client's own requests."""
        times = [time for time, _ in self._sent]
        return unpruned("anthropic_messages", self._bodies, price_of(MODEL), times)

    @property
    def _bodies(self) -> list[bytes]:
        return [raw.replace(b',"ttl":"1h"', b"") for _, raw in self._sent]

    def totals(self) -> Totals:
        """What the store says, once the proxies have ended."""
        self._open.close()
        kept = open_store(self.store, existing=True)
        try:
            return kept.totals("")
        finally:
            kept.close()

    def _mark_newest(self) -> None:
        """Put a cache mark at the end of the newest message, as clients do."""
        for message in self.player.body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                block.pop("cache_control", None)
        newest = self.player.body["messages"][-1]
        if isinstance(newest["content"], str):
            newest["content"] = [{"type": "text", "text": newest["content"]}]
        newest["content"][-1]["cache_control"] = {"type": "ephemeral"}
