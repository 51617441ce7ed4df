"""Full collections of garbage wait for a quiet moment, and requests leave little for them."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from weakref import ref

import pytest

from prunus.proxy.garbage import Garbage
from prunus.proxy.peer import Peer
from tests.proxy.caller import PATIENCE, call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import body


class Hour:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def collections() -> Iterator[list[int]]:
    """The generations that are collected during a test."""
    found: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            found.append(info["generation"])

    gc.disable()
    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)
    gc.enable()


def test_a_quiet_moment_is_used_after_a_minute_and_a_busy_one_after_ten(collections: list[int]) -> None:
    hour = Hour()
    garbage = Garbage(hour)
    for now, requests, idle, full in [
        (59, 1, True, 0),
        (61, 1, False, 0),
        (61, 1, True, 1),
        (3_600, 1, True, 1),  # nothing came since
        (3_601, 2, False, 2),
        (4_200, 3, False, 2),
        (4_202, 3, False, 3),
    ]:
        hour.now = now
        garbage.look(requests, idle=idle)
        assert collections == [2] * full, now


def test_expected_garbage_goes_at_the_next_quiet_moment_or_after_a_minute(collections: list[int]) -> None:
    hour = Hour()
    garbage = Garbage(hour)
    for now, expected, idle, full in [
        (1, False, True, 0),
        (2, True, False, 0),
        (3, False, True, 1),
        (4, False, True, 1),  # none is expected any more
        (5, True, False, 1),
        (64, False, False, 2),
    ]:
        hour.now = now
        if expected:
            garbage.expect()
        garbage.look(0, idle=idle)
        assert collections == [2] * full, now


def test_an_application_that_was_replaced_is_freed_at_the_next_quiet_moment(provider: Provider) -> None:
    with behind(provider) as running:
        call(running.url, "POST", "/v1/messages", body("anthropic_messages"))
        server = running._server
        old = ref(server._apps.app)
        loop = server.servers[0].get_loop()
        asyncio.run_coroutine_threadsafe(server.adopt(server._configuration), loop).result(PATIENCE)
        gc.disable()
        try:
            until = time.monotonic() + 30  # without a reload, a full collection waits for a minute
            while old() is not None and time.monotonic() < until:
                time.sleep(0.05)
        finally:
            gc.enable()
        assert old() is None


def test_a_request_leaves_no_garbage_that_only_a_collection_finds(provider: Provider) -> None:
    with behind(provider) as running:
        call(running.url, "POST", "/v1/messages", body("anthropic_messages"))
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            for _ in range(5):
                assert call(running.url, "POST", "/v1/messages", body("anthropic_messages")).status == 200
            gc.collect()
            assert not [one for one in gc.garbage if isinstance(one, Peer)]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
