"""Load balancers with the configurations that Prunus prints keep a conversation on one replica."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from aiohttp import web

from prunus.proxy.routing import routing_headers
from tests.deploy.replicas import BALANCERS, Balancer, Replica, running_balancer, running_replicas
from tests.proxy.caller import call, dial
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import body
from tests.proxy.test_grace import Held, read_until

PATH = "/v1/messages"
CALM = "Be brief, and calm."
NAMES = [name for name, _ in routing_headers()]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes of Unix")


@pytest.fixture(scope="module", params=BALANCERS, ids=lambda balancer: balancer.name)
def balancer(request: pytest.FixtureRequest) -> Balancer:
    if request.param.missing:
        pytest.skip(request.param.missing)
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Replica]]:
    with running_replicas(tmp_path_factory.mktemp("replicas")) as found:
        yield found


@pytest.fixture(scope="module")
def front(balancer: Balancer, replicas: list[Replica], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the balancer in front of the replicas."""
    with running_balancer(balancer, tmp_path_factory.mktemp(balancer.name), replicas) as url:
        wait_for_all(url, replicas)
        yield url


def wait_for_all(url: str, replicas: list[Replica]) -> None:
    """Wait until the balancer uses every replica: Envoy takes each one in after a first check of its own."""
    for replica in replicas:
        replica.provider.asked.clear()
    for i in count():
        if all(replica.provider.asked for replica in replicas):
            break
        ask(url, "Are you there?", 2, ("x-prunus-session", f"any {i}"))
    for replica in replicas:
        replica.provider.asked.clear()


def ask(url: str, conversation: str, length: int, *headers: tuple[str, str]) -> None:
    """Send a request of a conversation, again if a replica that has just ended cannot be reached, as agents do."""
    raw = body("anthropic_messages", length, system=conversation)
    while (status := call(url, "POST", PATH, raw, headers).status) != 200:
        assert status in (502, 503)
        time.sleep(0.05)


def reached(replicas: list[Replica], conversation: str) -> list[Replica]:
    """The replicas that got requests of a conversation."""
    return [
        replica
        for replica in replicas
        if any(conversation.encode() in asked.body for asked in replica.provider.asked)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_conversation_stays_on_one_replica(
    front: str, balancer: Balancer, replicas: list[Replica], name: str
) -> None:
    talks = [f"{balancer.name} {name} {i}." for i in range(16)]
    for length in range(2, 4):
        for talk in talks:
            ask(front, talk, length, (name, f"session {talk}"))
    per_talk = [reached(replicas, talk) for talk in talks]
    assert all(len(found) == 1 for found in per_talk)
    assert len({found[0].url for found in per_talk}) > 1


def test_a_client_without_a_header_stays_by_its_address(
    front: str, balancer: Balancer, replicas: list[Replica]
) -> None:
    talks = [f"{balancer.name} without {i}." for i in range(8)]
    for talk in talks:
        ask(front, talk, 2)
    assert len({found.url for talk in talks for found in reached(replicas, talk)}) == 1


def test_the_provider_gets_no_header_of_the_balancer(
    front: str, balancer: Balancer, replicas: list[Replica]
) -> None:
    talk = f"{balancer.name} headers."
    ask(front, talk, 2, ("x-prunus-session", talk), ("x-own", "1"))
    [replica] = reached(replicas, talk)
    [asked] = [asked for asked in replica.provider.asked if talk.encode() in asked.body]
    # The proxy itself adds the last three.
    names = {name.decode().lower() for name, _ in asked.headers}
    assert names <= {"x-own", "host", "content-length", "accept-encoding"}


def test_the_conversations_of_a_killed_replica_move_on_with_the_same_bytes(
    balancer: Balancer, tmp_path: Path
) -> None:
    talk = "Be brief, and brave."
    with Provider() as alone, behind(alone) as proxy:
        for length in range(2, 10):
            ask(proxy.url, talk, length)
    with running_replicas(tmp_path) as found, running_balancer(balancer, tmp_path, found) as url:
        wait_for_all(url, found)
        for length in range(2, 6):
            ask(url, talk, length, ("x-prunus-session", talk))
        [first] = reached(found, talk)
        first.kill()
        for length in range(6, 10):
            ask(url, talk, length, ("x-prunus-session", talk))
        [second] = [replica for replica in reached(found, talk) if replica is not first]
    sent = [asked.body for replica in (first, second) for asked in replica.provider.asked]
    assert sent == [asked.body for asked in alone.asked]


def test_an_answer_is_streamed_as_it_comes(balancer: Balancer, tmp_path: Path) -> None:
    with (
        running_replicas(tmp_path, 1, Held) as [replica],
        running_balancer(balancer, tmp_path, [replica]) as url,
        dial(url, PATH, body("anthropic_messages")) as line,
    ):
        assert b"data: first" in read_until(line, b"first\n\n")
        assert isinstance(replica.provider, Held)
        replica.provider.release()
        assert b"data: last" in read_until(line, b"0\r\n\r\n")


class HoldsOne(Held):
    """Holds the stream of one conversation, and answers all others at once."""

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        if CALM.encode() in await request.read():
            return await super()._stream(request)
        return web.json_response({"ok": True})


def test_a_replica_that_ends_costs_no_request(balancer: Balancer, tmp_path: Path) -> None:
    key = ("x-prunus-session", "calm")
    # nginx notices only that the port closes; the others notice that the replica is not ready.
    drain = 2 if balancer.name == "nginx" else 600
    with (
        running_replicas(tmp_path, 2, HoldsOne, "--set", f"proxy.drain={drain}") as found,
        running_balancer(balancer, tmp_path, found) as url,
        dial(url, PATH, body("anthropic_messages", system=CALM), ": ".join(key)) as line,
    ):
        read_until(line, b"first\n\n")
        [first] = reached(found, CALM)
        [second] = [replica for replica in found if replica is not first]
        first.process.terminate()
        while not second.provider.asked:
            assert call(url, "POST", PATH, body("anthropic_messages"), [key]).status == 200
        assert isinstance(first.provider, Held)
        first.provider.release()
        assert b"data: last" in read_until(line, b"0\r\n\r\n")
