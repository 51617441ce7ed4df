"""The proxy prunes off its event loop and in time: nobody waits for a large request or a long look."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from prunus.proxy.client_request import ClientRequest
from prunus.proxy.exchange import Arrived, Prepared
from prunus.proxy.faults import Faults
from prunus.proxy.preparing import Claim, LoopWaits, Preparing
from prunus.proxy.route import route
from prunus.proxy.tenant import Tenant
from prunus.pruner import Pruner
from prunus.settings import Settings
from prunus.settings.tables import StoreSettings
from prunus.store import open_store
from prunus.store.in_memory import InMemoryStore
from prunus.store.store import Store
from tests.laws.test_replicas import stepwise, talk
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.test_out_of_reach import CHOSEN, Server
from tests.test_out_of_reach import TALK as CUT

TALK = talk(7)
OFF = Settings(store={"url": "off"})


def arrived(body: bytes) -> Arrived:
    request = ClientRequest("POST", "/v1/messages", "", (), {"user-agent": "test"}, 0.0)
    return Arrived(request, route("POST", request.path, {}, "anthropic"), body)


def test_a_claim_can_be_taken_only_once() -> None:
    claim = Claim()
    assert [claim.take(), claim.take()] == [True, False]


class Stuck(Tenant):
    """A tenant whose first look takes until it is let go, as one at a message without end would."""

    def __init__(self) -> None:
        super().__init__("", OFF, InMemoryStore(), None, Faults(lambda _: None))
        self.go = threading.Event()
        self.looking = threading.Event()
        self.late: list[Prepared] = []

    def prepare(self, arrived: Arrived, deadline: float | None = None, claim: Any = lambda: True) -> Prepared:
        if self.looking.is_set():
            return super().prepare(arrived, deadline, claim)
        self.looking.set()
        self.go.wait()
        prepared = super().prepare(arrived, deadline, claim)
        self.late.append(prepared)
        return prepared


async def prepare_while_stuck(preparing: Preparing, tenant: Stuck) -> Prepared:
    """Prepare a request whose look is stuck.

    The event loop stands still until the look has begun. On a busy machine the thread might otherwise begin after
    the deadline, and a look that has not begun by then never does.
    """
    preparation = asyncio.create_task(preparing.prepare(tenant, arrived(TALK[9])))
    asyncio.get_running_loop().call_soon(tenant.looking.wait)
    return await preparation


def test_a_look_without_end_does_not_hold_a_request_up() -> None:
    tenant = Stuck()

    async def ask() -> Prepared:
        preparing = Preparing(0.01)
        try:
            return await prepare_while_stuck(preparing, tenant)
        finally:
            tenant.go.set()
            preparing.close()

    prepared = asyncio.run(ask())
    assert prepared.body == TALK[9]
    assert prepared.outcome is not None and prepared.outcome.behind


def test_edits_of_a_late_look_are_neither_sent_nor_recorded() -> None:
    tenant = Stuck()

    async def ask() -> None:
        preparing = Preparing(0.01)
        await prepare_while_stuck(preparing, tenant)
        tenant.go.set()
        while not tenant.late:
            await asyncio.sleep(0.01)
        preparing.close()

    asyncio.run(ask())
    [late] = tenant.late
    assert late.skip == "the request was sent before it was looked at"
    [held] = tenant.pruner._conversations
    assert held.memo.requests == 1 and held.memo.ledger.edits == ()


def test_conversations_do_not_wait_for_each_other() -> None:
    tenant, other = Stuck(), Tenant("", OFF, InMemoryStore(), None, Faults(lambda _: None))

    async def ask() -> Prepared:
        preparing = Preparing(600.0)
        stuck = asyncio.create_task(preparing.prepare(tenant, arrived(TALK[9])))
        while not tenant.looking.is_set():
            await asyncio.sleep(0.01)
        prepared = await preparing.prepare(other, arrived(TALK[3]))
        assert not stuck.done()
        tenant.go.set()
        await stuck
        preparing.close()
        return prepared

    assert asyncio.run(ask()).pruned is not None


def tenant_with(settings: Settings = OFF, store: Store | None = None) -> Tenant:
    return Tenant("", settings, store or InMemoryStore(), None, Faults(lambda _: None))


def test_a_short_step_of_a_known_conversation_is_prepared_at_once() -> None:
    tenant, other = tenant_with(), tenant_with()
    tenant.prepare(arrived(TALK[9]))
    other.prepare(arrived(TALK[9]))
    for body in TALK[10:15]:
        prepared = tenant.prepare_at_once(arrived(body), 30.0)
        assert prepared is not None and prepared.body == other.prepare(arrived(body)).body


def test_a_short_request_of_an_unknown_conversation_is_prepared_at_once() -> None:
    tenant, other = tenant_with(), tenant_with()
    prepared = tenant.prepare_at_once(arrived(TALK[3]), 30.0)
    assert prepared is not None and prepared.outcome is not None and prepared.outcome.conversation
    assert prepared.body == other.prepare(arrived(TALK[3])).body


def test_a_long_request_of_an_unknown_conversation_is_not_prepared_at_once() -> None:
    assert tenant_with().prepare_at_once(arrived(TALK[9]), 30.0) is None


def test_many_short_messages_of_an_unknown_conversation_are_not_prepared_at_once() -> None:
    request = json.loads(TALK[0])
    request["messages"] += [{"role": role, "content": "Go on."} for role in ("assistant", "user")] * 50
    body = json.dumps(request).encode()
    assert len(body) < len(TALK[3])
    assert tenant_with().prepare_at_once(arrived(body), 30.0) is None


def test_a_short_request_is_prepared_at_once_after_another_replica_has_cut(tmp_path: Path) -> None:
    settings = CHOSEN.model_copy(update={"store": StoreSettings(url=f"sqlite:///{tmp_path / 'store.db'}")})
    stores = [open_store(settings.store.url, settings) for _ in range(2)]
    one, other = (tenant_with(settings, store) for store in stores)
    alone = Pruner(CHOSEN)
    flushes = []
    for tenant, body in zip((one, other, other, other, one), stepwise(9), strict=False):
        prepared, expected = tenant.prepare_at_once(arrived(body), 30.0), alone.prune(body, 0.0)
        assert prepared is not None and prepared.body == expected.body
        flushes.append(expected.flush is not None)
    assert flushes[3], "the other replica cuts before the first one goes on"
    for store in stores:
        store.close()


def test_a_long_message_is_not_prepared_at_once() -> None:
    tenant, request = tenant_with(), json.loads(TALK[3])
    tenant.prepare(arrived(TALK[3]))
    request["messages"].append({"role": "assistant", "content": "word " * 10_000})
    assert tenant.prepare_at_once(arrived(json.dumps(request).encode()), 30.0) is None


def test_a_request_that_would_wait_for_the_store_is_not_prepared_at_once(tmp_path: Path) -> None:
    settings = Settings(store={"url": f"sqlite:///{tmp_path / 'store.db'}"})
    store = open_store(settings.store.url, settings)
    tenant = tenant_with(settings, store)
    tenant.prepare(arrived(TALK[3]))
    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert tenant.prepare_at_once(arrived(TALK[4]), 30.0) is None
        other.execute("ROLLBACK")
    found = tenant.prepare(arrived(TALK[4]))
    assert found.pruned is not None and found.pruned.exchange.request == 2
    store.close()


class Recording(Tenant):
    """A tenant that notes where its requests are prepared; an attempt on the event loop first waits so long."""

    def __init__(self, wait: float = 0.0) -> None:
        super().__init__("", OFF, InMemoryStore(), None, Faults(lambda _: None))
        self.wait = wait
        self.where: list[str] = []

    def prepare(self, arrived: Arrived, deadline: float | None = None, claim: Any = lambda: True) -> Prepared:
        self.where.append("thread")
        return super().prepare(arrived, deadline, claim)

    def prepare_at_once(self, arrived: Arrived, deadline: float) -> Prepared | None:
        time.sleep(self.wait)
        prepared = super().prepare_at_once(arrived, deadline)
        self.where += ["loop"] if prepared is not None else []
        return prepared


def where_prepared(tenant: Recording) -> list[str]:
    """Where four requests of a conversation are prepared, the first of which is long."""

    async def ask() -> None:
        preparing = Preparing(600.0)
        for body in TALK[9:13]:
            await preparing.prepare(tenant, arrived(body))
        preparing.close()

    asyncio.run(ask())
    return tenant.where


def test_the_next_steps_of_a_conversation_are_prepared_on_the_event_loop() -> None:
    assert where_prepared(Recording()) == ["thread", "loop", "loop", "loop"]


def test_threads_prepare_requests_while_a_store_is_slow() -> None:
    """The loop has waited for a third of a second, so it waits for nobody for some time."""
    assert where_prepared(Recording(wait=0.3)) == ["thread"] * 4


def test_the_loop_may_wait_for_many_short_answers_but_not_for_long_ones() -> None:
    now = 0.0
    waits = LoopWaits(lambda: now)
    for _ in range(1_000):
        assert waits.may_wait()
        waits.add(0.001)
        now += 0.01
    waits.add(0.25)
    now += 29.0
    assert not waits.may_wait()
    now += 2.0
    assert waits.may_wait()


@pytest.mark.parametrize("commits", [True, False], ids=["which was saved", "which was not saved"])
def test_an_unanswered_commit_of_a_request_prepared_at_once_is_not_tried_without_the_store(commits: bool) -> None:
    """Nobody knows whether the store has saved the edits, so the request goes out as it came."""
    memory = Server()
    tenant, other = tenant_with(CHOSEN), Pruner(CHOSEN)
    tenant.pruner = Pruner(CHOSEN, memory)
    cuts = [bool(other.prune(body, 0.0).receipts) for body in CUT]
    *before, cutting = CUT[: cuts.index(True) + 1]
    for body in before:
        tenant.prepare(arrived(body))
    memory.breaks, memory.commits, memory.ends = 1, commits, True
    prepared = tenant.prepare_at_once(arrived(cutting), 600.0)
    assert prepared is not None and prepared.skip == "the store does not answer" and prepared.body == cutting


def test_requests_without_time_are_counted(provider: Provider, tmp_path: Path) -> None:
    """No time at all: every message is left to be caught up with."""
    store = {"url": f"sqlite:///{tmp_path / 'store.db'}"}
    with behind(provider, preset="auto", proxy={"deadline": 1e-9}, store=store) as proxy:
        assert call(proxy.url, "POST", "/v1/messages", TALK[12]).status == 200
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert "prunus_behind_total 1.0" in metrics
    assert provider.asked[0].body == TALK[12]
    assert open_store(store["url"]).totals("").behind == 1


def summary(number: int, text: str) -> bytes:
    """The request with which Claude Code asks for a summary of the history."""
    body = json.loads(TALK[number])
    body["messages"] += [
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": [{"type": "text", "text": text}]},
    ]
    return json.dumps(body).encode()


ASKED = (
    "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed summary of the "
    "conversation so far, paying close attention to the user's explicit requests."
)


def sent(provider: Provider) -> list[list[Any]]:
    return [json.loads(asked.body)["messages"] for asked in provider.asked]


@pytest.mark.parametrize("tools", [True, False], ids=["with tools", "without tools"])
def test_a_compaction_extends_what_the_provider_has_cached(provider: Provider, tools: bool) -> None:
    prices = [{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}]
    with behind(provider, preset="auto", prices=prices) as proxy:
        for number in range(1, 14):
            assert call(proxy.url, "POST", "/v1/messages", TALK[number]).status == 200
        asked = json.loads(summary(13, ASKED))
        if not tools:
            del asked["tools"]
        assert call(proxy.url, "POST", "/v1/messages", json.dumps(asked).encode()).status == 200
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    *_, last, compaction = sent(provider)
    assert last != json.loads(TALK[13])["messages"]
    assert compaction[: len(last)] == last
    assert compaction[len(last) :] == asked["messages"][len(last) :]
    assert 'prunus_requests_total{format="anthropic_messages",what="pruned"}' in metrics


def test_a_compaction_goes_whole_where_that_is_wanted_and_fits(provider: Provider) -> None:
    prices = [{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}]
    wanted = {"preset": "auto", "prices": prices, "compaction": "whole"}
    for window, whole in ((200_000, True), (10_000, False)):
        provider.asked.clear()
        with behind(provider, window=window, **wanted) as proxy:
            for number in range(1, 14):
                call(proxy.url, "POST", "/v1/messages", TALK[number])
            call(proxy.url, "POST", "/v1/messages", summary(13, ASKED))
        assert (provider.asked[-1].body == summary(13, ASKED)) is whole
