"""A store that fails costs nothing but what it would have kept."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from prunus.store import open_store
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import body

PATH = "/v1/messages"


def play(url: str, first: int = 2, last: int = 6) -> list[int]:
    return [call(url, "POST", PATH, body("anthropic_messages", n)).status for n in range(first, last)]


def sent_without_a_store(counts: range, preset: str = "acp") -> list[bytes]:
    with Provider() as provider, behind(provider, preset=preset) as proxy:
        play(proxy.url, counts.start, counts.stop)
        return [asked.body for asked in provider.asked]


def delete(path: Path) -> None:
    for file in path.parent.glob(path.name + "*"):
        file.unlink()


def garble(path: Path) -> None:
    delete(path)
    path.write_bytes(b"this is no database, though it is long enough to be one. " * 200)


def directory(path: Path) -> None:
    delete(path)
    path.mkdir()


@pytest.mark.parametrize("harm", [delete, garble, directory])
def test_requests_pass_while_a_store_fails(
    provider: Provider, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    path = tmp_path / "store.db"
    with behind(provider, store={"url": f"sqlite:///{path}"}) as proxy:
        assert play(proxy.url, 2, 4) == [200] * 2
        harm(path)
        assert play(proxy.url, 4, 7) == [200] * 3
    assert [asked.body for asked in provider.asked] == sent_without_a_store(range(2, 7))


def test_a_store_that_is_locked(provider: Provider, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with behind(provider, store={"url": f"sqlite:///{path}"}) as proxy:
        assert play(proxy.url, 2, 3) == [200]
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        assert play(proxy.url, 3, 5) == [200] * 2
        holder.execute("ROLLBACK")
        holder.close()
        assert play(proxy.url, 5, 7) == [200] * 2
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert 'prunus_faults_total{where="store"}' in metrics
    assert [asked.body for asked in provider.asked] == sent_without_a_store(range(2, 7))
    store = open_store(f"sqlite:///{path}")
    assert store.totals("").requests >= 3
    store.close()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs file modes")
def test_a_store_that_may_not_be_written(provider: Provider, tmp_path: Path) -> None:
    path = tmp_path / "none" / "store.db"
    path.parent.write_text("a file where the folder should be")
    with behind(provider, store={"url": f"sqlite:///{path}"}) as proxy:
        assert play(proxy.url) == [200] * 4
    assert [asked.body for asked in provider.asked] == sent_without_a_store(range(2, 6))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_store_on_a_full_disk(provider: Provider) -> None:
    with behind(provider, store={"url": "sqlite:////dev/full"}) as proxy:
        assert play(proxy.url) == [200] * 4
    assert [asked.body for asked in provider.asked] == sent_without_a_store(range(2, 6))


def test_a_restarted_proxy_sends_the_same_bytes(provider: Provider, tmp_path: Path) -> None:
    store = {"url": f"sqlite:///{tmp_path / 'store.db'}"}
    for n in range(2, 8):
        with behind(provider, store=store, preset="auto") as proxy:
            play(proxy.url, n, n + 1)
    restarted = [asked.body for asked in provider.asked]
    with Provider() as other, behind(other, preset="auto") as proxy:
        play(proxy.url, 2, 8)
        assert restarted == [asked.body for asked in other.asked]


def test_exchanges_and_receipts_are_recorded(provider: Provider, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with behind(provider, store={"url": url}) as proxy:
        play(proxy.url)
    store = open_store(url)
    [session] = store.sessions("")
    exchanges = store.exchanges("", session.id)
    assert [one.status for one in exchanges] == [200] * 4
    assert exchanges[-1].tokens_after < exchanges[-1].tokens_before
    receipts = store.receipts("", session.id)
    assert {receipt.strategy for receipt in receipts} >= {"stale_reads"}
    [read] = [receipt for receipt in receipts if receipt.strategy == "stale_reads"]
    original = json.loads(body("anthropic_messages"))["messages"][2]["content"][0]["content"]
    assert store.original("", read.original) == original
    store.close()
