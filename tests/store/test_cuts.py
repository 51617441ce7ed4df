"""The store's records of parts that were asked for again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from prunus.reuse.asked_again import Experience, Tried
from prunus.reuse.learning import Learned
from prunus.store import Store, open_store
from prunus.store.records import cuts_of
from prunus.store.sql.migrations import MIGRATIONS
from prunus.store.sqlite.database import Database
from tests.store.samples import ask, exchange, links, memo, receipt

Reopen = Callable[..., Store]


def test_cuts_and_asks_are_counted_by_agent_strategy_and_kind(store: Store) -> None:
    cuts = [receipt("aaaaaa", 2, kind="read", reuse=0.1), receipt("bbbbbb", 4, kind="shell", reuse=0.2)]
    store.record("", exchange("c1"), [*cuts, receipt("cccccc", 6, strategy="old_thinking")])
    store.record("", exchange("c1", 2, asks=(ask(2),)))
    store.record("", exchange("c2", client="codex"), [receipt("dddddd", 2, kind="read", reuse=0.3)])
    claude = {
        ("repeated_reads", "read"): Tried(1, 0.1, 1, 100),
        ("repeated_reads", "shell"): Tried(1, 0.2),
    }
    codex = {("repeated_reads", "read"): Tried(1, 0.3)}
    assert store.experiences("") == {"claude": Experience(2, claude), "codex": Experience(1, codex)}
    assert store.memory("").experience("claude") == Experience(2, claude)
    assert store.memory("").experience("nobody") == Experience()
    both = sum(store.experiences("").values(), Experience())
    assert (both.requests, both.total.cut, both.total.asked) == (3, 3, 1)
    assert both.strategies == {"repeated_reads": both.total}
    assert both.kinds["read"] == Tried(2, 0.4, 1, 100)
    if store.keeps_receipts:
        assert store.totals("", "c1").experience == Experience(2, claude)
        assert store.totals("", "c2").experience == Experience(1, codex)
        assert store.totals("").experience == both


def test_an_exchange_that_is_recorded_again_counts_once(store: Store) -> None:
    sent = exchange("c1", 2, status=0, asks=(ask(2),))
    store.record("", exchange("c1"), [receipt("aaaaaa", 2, kind="read")])
    store.record("", sent)
    store.record_all([("", replace(sent, status=200))])
    store.record("", exchange("c1", 3, asks=(ask(2),)))
    assert store.memory("").experience("claude") == Experience(3, {("repeated_reads", "read"): Tried(1, 0, 1, 100)})


@pytest.mark.receipts
def test_asks_come_back_with_their_exchange_and_their_receipt(store: Store) -> None:
    second = exchange("c1", 2, asks=(ask(2), ask(4)))
    store.record("", exchange("c1"), [receipt("aaaaaa", 2, kind="read"), receipt("bbbbbb", 6, kind="read")])
    store.record("", second)
    assert [one.asks for one in store.exchanges("", "c1")] == [(), second.asks]
    assert {one.id: one.asked_again for one in store.receipts("")} == {"aaaaaa": 2, "bbbbbb": 0}


def test_a_part_that_another_strategy_cuts_anew_counts_for_both(store: Store) -> None:
    store.record("", exchange("c1"), [receipt("aaaaaa", 2, kind="read", reuse=0.5)])
    for request in (2, 3):
        again = receipt("aaaaaa", 2, strategy="old_results", kind="edited read")
        store.record("", exchange("c1", request, asks=(ask(2),)), [again])
    tried = {("repeated_reads", "read"): Tried(1, 0.5, 1, 100), ("old_results", "edited read"): Tried(1)}
    assert store.memory("").experience("claude").tried == tried
    if store.keeps_receipts:
        assert store.totals("", "c1").experience.tried == tried


def test_a_fork_counts_what_it_asks_for_and_not_what_it_took_over(store: Store) -> None:
    store.record("", exchange("c1"), [receipt("aaaaaa", 2, kind="read", reuse=0.5)])
    store.record("", exchange("fork", asks=(ask(2),)))
    assert store.memory("").experience("claude").total == Tried(1, 0.5, 1, 100)
    if store.keeps_receipts:
        assert store.totals("", "fork").experience.total == Tried(0, 0.0, 1, 100)


def test_shadow_runs_are_counted_apart(store: Store) -> None:
    store.record("", exchange("c1", shadow=True, asks=(ask(2),)), [receipt("aaaaaa", 2, kind="read")])
    assert store.memory("").experience("claude") == Experience()
    would = Experience(1, {("repeated_reads", "read"): Tried(1, 0.0, 1, 100)})
    assert store.experiences("", shadow=True) == {"claude": would}
    if store.keeps_receipts:
        assert store.totals("", shadow=True).experience == would


def test_the_cuts_of_a_refused_request_are_those_of_a_shadow_run(store: Store) -> None:
    sent, made = exchange("c1", status=0), receipt("aaaaaa", 2, kind="read", reuse=0.5)
    store.record("", sent, [made])
    assert store.experiences("") == {}
    store.record_all([("", replace(sent, status=200, shadow=True, cuts=cuts_of([made])))])
    assert store.experiences("") == {}
    cut = Experience(1, {("repeated_reads", "read"): Tried(1, 0.5)})
    assert store.experiences("", shadow=True) == {"claude": cut}


def test_any_name_of_an_agent_can_be_counted(store: Store) -> None:
    store.record("", exchange("c1", client="grün of 100% \n {agent}"))
    assert store.memory("").experience("grün of 100% \n {agent}").requests == 1


def test_no_tenant_learns_from_another(store: Store) -> None:
    store.record("anna", exchange("c1"), [receipt("aaaaaa", 2, kind="read")])
    assert store.memory("bert").experience("claude") == Experience()


def test_a_conversation_keeps_what_it_learned(store: Store, reopen: Reopen) -> None:
    learned = Learned({"read": 0.75}, ("old_results",))
    store.memory("").keep(replace(memo("c1", 6), learned=learned), links(6), {})
    found = reopen().memory("").load("c1")
    assert found is not None
    assert found.learned == learned


@pytest.mark.receipts
def test_asks_go_with_their_conversation_and_sums_stay(store: Store) -> None:
    store.record("", exchange("c1"), [receipt("aaaaaa", 2, kind="read")])
    store.record("", exchange("c1", 2, asks=(ask(2),)))
    store.vacuum()
    assert store.sessions("") == []
    assert store.exchanges("", "c1") == []
    assert store.totals("").experience.total == Tried(1, 0.0, 1, 100)
    store.record("", exchange("c1", 3))
    assert [one.asks for one in store.exchanges("", "c1")] == [()]


def test_clear_forgets_what_was_learned(store: Store) -> None:
    store.record("", exchange("c1", asks=(ask(2),)), [receipt("aaaaaa", 2, kind="read")])
    store.clear()
    assert store.experiences("") == {}
    assert store.memory("").experience("claude") == Experience()


def test_a_store_of_the_previous_version_is_migrated(path: Path) -> None:
    path.parent.mkdir()
    old = Database(path, migrations=MIGRATIONS[:5])
    old.write(
        lambda connection: [
            connection.execute("INSERT INTO conversations (n, tenant, id, first, last) VALUES (1, '', 'c1', 1, 2)"),
            connection.execute(
                "INSERT INTO receipts (conversation, id, message, part, request, time, turn, tool, what, strategy, "
                "reason, tokens_before, tokens_after, price, shadow) "
                "VALUES (1, 'abcdef', 2, 0, 1, 1.0, 1, 'Read', 'note', 'stale_reads', 'why', 100, 10, 0, 0)"
            ),
        ]
    )
    old.close()
    store = open_store(f"sqlite:///{path}")
    assert [(one.id, one.asked_again) for one in store.receipts("")] == [("abcdef", 0)]
    known = store.memory("").load("c1")
    assert known is not None
    assert known.learned == Learned()
    assert store.totals("").experience == Experience()
    # A part that the older version cut may be asked for; it is not known how many others were cut.
    store.record("", exchange("c1", 2, asks=(ask(2, "stale_reads"),)))
    assert store.memory("").experience("claude") == Experience(1)
    store.close()
