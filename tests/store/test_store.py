"""The store returns what it was given, only to the same tenant."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from prunus import Settings
from prunus.history import Ref
from prunus.store import Store, Usage, open_store
from prunus.store.records import digest_of
from prunus.tally import Tally
from tests.store.samples import exchange, flush, links, memo, receipt


@pytest.mark.receipts
def test_an_exchange_comes_back_as_it_was(store: Store) -> None:
    one = exchange(flush=flush(), cost_of_break=60.0, error="", shadow=False)
    two = exchange(request=2, usage=None, error="OSError: gone", status=502)
    store.record("", one)
    store.record("", two)
    assert store.exchanges("", "c1") == [one, two]


@pytest.mark.receipts
def test_a_request_that_is_not_sent_yet_has_its_receipts_and_no_numbers(store: Store) -> None:
    sent = exchange(usage=None, status=0, cost=0.0, id="x")
    store.record("", sent, [receipt("aaaaaa")])
    assert [r.id for r in store.receipts("")] == ["aaaaaa"]
    assert store.exchanges("", "c1") == []
    assert (store.totals("").requests, store.totals("").strategies) == (0, {})
    store.record_all([("", exchange(id="x"))])
    assert store.exchanges("", "c1") == [exchange(id="x")]
    assert (store.totals("").requests, store.totals("").cost) == (1, 400.0)
    assert store.totals("").strategies == {"repeated_reads": Tally(1, 90)}
    assert [r.id for r in store.receipts("")] == ["aaaaaa"]


@pytest.mark.receipts
def test_the_cuts_of_all_calls_of_a_request_are_counted(store: Store) -> None:
    """The agent layer may ask the model again, and cut more, before the request has its answer."""
    sent = exchange(status=0)
    store.record("", sent, [receipt("aaaaaa", 2)])
    store.record("", sent, [receipt("bbbbbb", 4)])
    store.record_all([("", replace(sent, status=200)), ("", replace(sent, status=200))])
    assert store.totals("").strategies == {"repeated_reads": Tally(2, 180)}


@pytest.mark.receipts
def test_a_request_that_never_got_an_answer_is_counted(store: Store) -> None:
    left = exchange(usage=None, status=0)
    store.record_all([("", left)])
    assert store.exchanges("", "c1") == [left]
    assert store.totals("").requests == 1


@pytest.mark.receipts
def test_a_session_has_the_model_of_its_newest_request_whoever_records_it_last(store: Store) -> None:
    store.record_all([("", exchange(request=2, model="new-model"))])
    store.record_all([("", exchange(request=1, model="old-model"))])
    [session] = store.sessions("")
    assert session.model == "new-model"


@pytest.mark.receipts
def test_an_exchange_that_is_recorded_again_counts_once(store: Store) -> None:
    one = exchange(id="x")
    store.record_all([("", one)])
    store.record_all([("", one), ("", exchange(request=2))])
    assert len(store.exchanges("", "c1")) == 2
    assert (store.totals("").requests, store.totals("").cost) == (2, 800.0)


@pytest.mark.receipts
def test_totals_add_up(store: Store) -> None:
    store.record("", exchange(flush=flush(), cost_of_break=60.0), [receipt("aaaaaa", 2), receipt("bbbbbb", 4)])
    store.record("", exchange("c2"), [receipt("cccccc", 2, strategy="old_errors")])
    for totals in (store.totals(""), store.totals("", "c1")):
        assert totals.cost_of_breaks == 60.0
        assert totals.breaks == 1
    everything = store.totals("")
    assert (everything.requests, everything.conversations) == (2, 2)
    assert (everything.tokens_before, everything.tokens_after) == (2_000, 1_600)
    assert everything.usage == Usage(20, 1_000, 580, 80)
    assert everything.saved == 200.0
    assert everything.strategies == {"repeated_reads": Tally(2, 180), "old_errors": Tally(1, 90)}
    assert store.totals("", "c2").strategies == {"old_errors": Tally(1, 90)}


@pytest.mark.receipts
def test_a_shadow_run_is_counted_apart_and_keeps_no_originals(store: Store) -> None:
    store.record("", exchange(shadow=True), [receipt("aaaaaa")])
    real, shadow = store.totals(""), store.totals("", shadow=True)
    assert (real.requests, real.conversations, real.strategies) == (0, 0, {})
    assert (shadow.requests, shadow.conversations) == (1, 1)
    assert shadow.strategies == {"repeated_reads": Tally(1, 90)}
    assert [one.shadow for one in store.receipts("")] == [True]
    assert store.info().originals == 0


@pytest.mark.receipts
def test_a_conversation_has_separate_totals_for_real_and_shadow_requests(store: Store) -> None:
    store.record("", exchange(cost=400.0), [receipt("aaaaaa", 2)])
    store.record("", exchange(request=2, cost=300.0, shadow=True), [receipt("bbbbbb", 4), receipt("cccccc", 6)])
    [session] = store.sessions("")
    assert (session.shadow, session.cost, session.receipts) == (True, 300.0, 2)
    assert [store.totals("", shadow=shadow).conversations for shadow in (False, True)] == [1, 1]
    store.record("", exchange(request=3, cost=200.0))
    [session] = store.sessions("")
    assert (session.shadow, session.cost, session.receipts) == (False, 600.0, 1)


@pytest.mark.receipts
def test_a_shadow_receipt_does_not_replace_a_real_receipt(store: Store) -> None:
    store.record("", exchange(), [receipt("aaaaaa")])
    store.record("", exchange(request=2, shadow=True), [receipt("aaaaaa", strategy="old_errors")])
    [kept] = store.receipts("")
    assert (kept.shadow, kept.strategy, store.original("", kept.original)) == (
        False,
        "repeated_reads",
        "one\ntwo\n",
    )
    assert store.totals("", shadow=True).strategies == {}


@pytest.mark.receipts
def test_receipts_of_a_refused_request_become_shadow_receipts(store: Store) -> None:
    sent = exchange(status=0)
    store.record("", sent, [receipt("aaaaaa")])
    store.record("", replace(sent, status=200, shadow=True))
    real, shadow = store.totals(""), store.totals("", shadow=True)
    assert (real.requests, real.conversations, real.strategies) == (0, 0, {})
    assert (shadow.requests, shadow.conversations) == (1, 1)
    assert shadow.strategies == {"repeated_reads": Tally(1, 90)}
    assert [one.shadow for one in store.receipts("")] == [True]


@pytest.mark.receipts
def test_a_request_without_an_answer_is_not_the_newest_of_its_session(store: Store) -> None:
    store.record("", exchange())
    store.record("", exchange(request=2, status=529, tokens_before=0, tokens_after=0))
    [session] = store.sessions("")
    assert (session.tokens_before, session.tokens_after, session.requests) == (1_000, 800, 2)


@pytest.mark.receipts
def test_a_part_that_is_cut_further_counts_once(store: Store) -> None:
    store.record("", exchange(), [receipt("aaaaaa", strategy="old_errors")])
    store.record("", exchange(request=2), [receipt("aaaaaa", strategy="repeated_reads")])
    assert store.totals("").strategies == {"repeated_reads": Tally(1, 90)}
    [kept] = store.receipts("")
    assert (kept.strategy, kept.request) == ("repeated_reads", 2)


@pytest.mark.receipts
@pytest.mark.parametrize(
    "text", ["", "plain\r\n", "grüße \N{PARTY POPPER}", "lone \ud83d surrogate", "x" * 300_000]
)
def test_an_original_comes_back_exactly(store: Store, text: str) -> None:
    store.record("", exchange(), [receipt("aaaaaa", original=text)])
    [kept] = store.find("", "aaa")
    assert store.original("", kept.original) == text


@pytest.mark.receipts
def test_the_first_digits_of_a_digest_are_enough_for_an_original(store: Store) -> None:
    store.record("", exchange(), [receipt("aaaaaa", original="text")])
    [kept] = store.find("", "aaa")
    digest = kept.original
    assert digest == digest_of("text").hex()
    assert store.original("", digest[:24]) == store.original("", digest[:28]) == "text"
    for wrong in ("", digest[:22], digest[:23], digest + "00", "0" * 24, "ff" * 16, "g" * 24):
        assert store.original("", wrong) is None


@pytest.mark.receipts
def test_equal_originals_are_kept_once(store: Store) -> None:
    store.record("", exchange(), [receipt("aaaaaa", 2), receipt("bbbbbb", 4)])
    assert store.info().originals == 1
    assert len(store.receipts("")) == 2


@pytest.mark.receipts
def test_settings_can_turn_originals_off(reopen: Callable[..., Store]) -> None:
    store = reopen(settings=Settings(store={"originals": False}))
    store.record("", exchange(), [receipt("aaaaaa")])
    [kept] = store.receipts("")
    assert kept.original == ""
    assert store.info().originals == 0


@pytest.mark.receipts
def test_the_edits_behind_the_cut_share_the_price_of_a_cache_break(store: Store) -> None:
    early, late, later = receipt("aaaaaa", 1), receipt("bbbbbb", 5), receipt("cccccc", 9)
    store.record("", exchange(flush=flush(cut=5), cost_of_break=60.0), [early, late, later])
    assert {r.id: r.price for r in store.receipts("")} == {"aaaaaa": 0.0, "bbbbbb": 30.0, "cccccc": 30.0}


@pytest.mark.receipts
def test_a_price_that_arrives_with_the_answer_is_shared_then(store: Store) -> None:
    sent = exchange(flush=flush(cut=5), status=0, id="x")
    store.record("", sent, [receipt("aaaaaa", 1), receipt("bbbbbb", 5)])
    store.record("", replace(sent, cost_of_break=60.0, status=200))
    assert {r.id: r.price for r in store.receipts("")} == {"aaaaaa": 0.0, "bbbbbb": 60.0}


@pytest.mark.receipts
def test_sessions_are_listed_newest_first(store: Store) -> None:
    store.memory("").keep(memo("c1", 6, at=1_001.0), links(6), {})
    store.record("", exchange("c1"), [receipt("aaaaaa")])
    store.record("", exchange("c2", 3))
    newest, oldest = store.sessions("")
    assert (newest.id, oldest.id) == ("c2", "c1")
    assert (oldest.depth, oldest.requests, oldest.receipts) == (6, 3, 1)
    assert (oldest.client, oldest.model) == ("claude", "claude-sonnet-4-5")
    assert (oldest.cost, oldest.cost_unpruned, oldest.tokens_before) == (400.0, 500.0, 1_000)
    assert [session.id for session in store.sessions("", 1)] == ["c2"]


@pytest.mark.receipts
def test_a_session_shows_its_newest_request_even_if_another_replica_writes_an_older_one_later(store: Store) -> None:
    store.record("", exchange(request=2, id="two", tokens_before=2_000, tokens_after=1_200))
    store.record("", exchange(request=1, id="one", tokens_before=1_000, tokens_after=800))
    [session] = store.sessions("")
    assert (session.tokens_before, session.tokens_after) == (2_000, 1_200)


def test_hidden_exchanges_come_back_by_key(store: Store) -> None:
    store.save_hidden("", "k1", b"[1]")
    store.save_hidden("", "k2", b"[2]")
    store.save_hidden("", "k2", b"[3]")
    assert store.hidden("", ["k1", "k2", "k3"]) == {"k1": b"[1]", "k2": b"[3]"}
    assert store.hidden("", (f"k{n}" for n in range(2_000))) == {"k1": b"[1]", "k2": b"[3]"}


@pytest.mark.parametrize("kind", ["kept", "off"])
def test_a_queued_command_is_taken_once(store: Store, kind: str) -> None:
    store = store if kind == "kept" else open_store("off")
    store.ask("", "c1", "sweep 5")
    store.ask("", "c1", "sweep 2")
    assert store.asked("", "c1") == ("sweep 5", "sweep 2")
    assert store.take("", "c1") == ("sweep 5", "sweep 2")
    assert store.take("", "c1") == store.asked("", "c1") == ()


def test_a_receipt_that_names_its_part_as_its_item_is_replaced_and_counted_once(store: Store, path: Path) -> None:
    """So do receipts that were written before receipts had items."""
    call = replace(receipt("aaaaaa", 2), item=Ref(1, 0))
    store.record("", exchange(), [call])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE receipts SET item = message || '.' || part")
    connection.close()
    assert store.totals("").strategies == {"repeated_reads": Tally(1, 90)}
    store.record("", exchange(request=2), [call, replace(receipt("bbbbbb", 1), item=Ref(1, 0))])
    assert store.totals("").strategies == {"repeated_reads": Tally(1, 180)}
    assert store.totals("", "c1").strategies == {"repeated_reads": Tally(1, 180)}


def test_finding_a_conversation_tells_whether_commands_wait_for_it(store: Store) -> None:
    memory = store.memory("")
    memory.keep(memo("c1", 6), links(6), {})
    store.ask("anna", "c1", "sweep 5")
    store.ask("", "c2", "sweep 5")
    assert [found.commands for found in memory.find(links(8, "a"))] == [False]
    store.ask("", "c1", "sweep 5")
    assert [found.commands for found in memory.find(links(8, "a"))] == [True]
    store.take("", "c1")
    assert [found.commands for found in memory.find(links(8, "a"))] == [False]


@pytest.mark.receipts
def test_two_tenants_share_neither_conversations_nor_originals(store: Store) -> None:
    for tenant in ("anna", "bert"):
        store.memory(tenant).keep(memo("c1", 6), links(6), {})
        store.record(tenant, exchange(), [receipt("aaaaaa")])
    info = store.info()
    assert (info.conversations, info.originals, info.receipts) == (2, 2, 2)
    assert info.tenants == ("anna", "bert")


def test_clear_leaves_nothing(store: Store) -> None:
    store.memory("").keep(memo("c1", 6), links(6), {})
    store.record("", exchange(), [receipt("aaaaaa", original="VERY PRIVATE" * 9)])
    store.save_hidden("", "k", b"VERY PRIVATE")
    store.clear()
    info = store.info()
    assert (info.conversations, info.exchanges, info.receipts, info.originals, info.hidden) == (0, 0, 0, 0, 0)
    assert not store.memory("").find(links(6))
    assert store.hidden("", ["k"]) == {}
    if store.keeps_receipts:
        assert store.totals("").requests == 0


def test_off_keeps_nothing_on_disk(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store = open_store("off")
    store.record("", exchange(), [receipt("aaaaaa")])
    store.memory("").keep(memo("c1", 6), links(6), {})
    store.save_hidden("", "k", b"1")
    assert store.hidden("", ["k"]) == {"k": b"1"}
    assert not store.memory("").find(links(6))
    assert store.sessions("") == store.receipts("") == []
    assert list(tmp_path.iterdir()) == []  # type: ignore[attr-defined]
