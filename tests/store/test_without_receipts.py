"""With `store.receipts = false` a SQL store keeps ledgers and experience, and nothing of single requests."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from prunus import Pruner, Settings
from prunus.cli import main
from prunus.store import Store
from prunus.store.store import NoReceipts
from tests.store.samples import ask, edit, exchange, flush, links, memo, recalled, receipt
from tests.store.test_memory import requests

Reopen = Callable[..., Store]

pytestmark = pytest.mark.receipts


@pytest.fixture
def ledgers(reopen: Reopen) -> Store:
    return reopen(settings=Settings(store={"receipts": False}))


def fill(store: Store) -> None:
    """Record what an agent does: cuts, asks, a request that the provider refuses, a shadow run, a keep-alive."""
    sent = exchange("c1", 1, status=0, flush=flush(), id="one")
    store.record("", sent, [receipt("aaaaaa", 2, kind="read", reuse=0.5), receipt("bbbbbb", 4, kind="shell")])
    store.record_all([("", replace(sent, status=200))])
    store.record("", exchange("c1", 2, asks=(ask(2), ask(9)), status=0, id="two"))
    store.record_all([("", exchange("c1", 2, asks=(ask(2), ask(9)), id="two"))])
    refused = exchange("c1", 3, status=0, id="three")
    store.record("", refused, [receipt("cccccc", 6, kind="read", reuse=0.25)])
    store.record_all([("", replace(refused, status=200, shadow=True))])
    store.record("", exchange("c2", client="codex", shadow=True), [receipt("dddddd", kind="read")])
    store.record_all([("", exchange("c1", 4, keep_alive=True))])


def test_experience_is_that_of_a_store_with_receipts(ledgers: Store, reopen: Reopen) -> None:
    fill(ledgers)
    found = [ledgers.experiences("", shadow=shadow) for shadow in (False, True)]
    assert ledgers.memory("").experience("claude") == found[0]["claude"]
    ledgers.clear()
    whole = reopen()
    fill(whole)
    assert found == [whole.experiences("", shadow=shadow) for shadow in (False, True)]


def test_reading_receipts_says_that_the_store_keeps_none(ledgers: Store) -> None:
    fill(ledgers)
    for read in (ledgers.sessions, ledgers.receipts, ledgers.totals, ledgers.days, ledgers.earnings):
        with pytest.raises(NoReceipts, match=r"keeps no requests, receipts, originals and totals"):
            read("")
    info = ledgers.info()
    assert (info.keeps_receipts, info.conversations, info.tenants) == (False, 2, ("",))


def test_no_row_tells_of_a_single_request(ledgers: Store, path: Path) -> None:
    fill(ledgers)
    with closing(sqlite3.connect(path)) as connection:
        for table in ("exchanges", "receipts", "originals", "totals", "days", "strategies", "contexts"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_ledgers_are_kept_and_removed_as_with_receipts(ledgers: Store, reopen: Reopen) -> None:
    kept = memo("c1", 4, (edit(2),))
    ledgers.memory("").keep(kept, links(4), {}, lambda: ledgers.record("", exchange("c1"), [receipt("aaaaaa")]))
    again = reopen(settings=Settings(store={"receipts": False}))
    assert recalled(again.memory(""), links(4)) == (kept, 4)
    assert again.forget("", ["c1"]) == 1
    assert not again.memory("").find(links(4))


def test_a_restart_changes_no_byte(reopen: Reopen) -> None:
    settings = Settings(schedule="eager")
    steady = Pruner(settings)
    for n, body in enumerate(requests(8)):
        pruner = Pruner(settings, reopen(settings=Settings(store={"receipts": False})).memory(""))
        assert pruner.prune(body, now=10.0 * n).body == steady.prune(body, now=10.0 * n).body


def test_commands_say_that_no_receipts_are_kept(
    ledgers: Store, store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(ledgers)
    (tmp_path / "prunus.toml").write_text("[store]\nreceipts = false\n")
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(main, ["stats", "--store", store_url])
    assert shown.exit_code == 2
    assert "keeps no requests, receipts, originals and totals" in shown.stderr
    assert "not kept" in CliRunner().invoke(main, ["store", "info", "--store", store_url]).stdout
