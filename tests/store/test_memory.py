"""The store finds a conversation by its links and returns its ledger."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.errors import Overtaken
from prunus.reuse.asked_again import Experience
from prunus.schedule.cache_life import CacheLife, Hindsight
from prunus.store import Store, StoreError
from prunus.store.cipher import Cipher
from prunus.store.recent import Recent
from prunus.store.sql.memory import SqlMemory
from prunus.store.sql.numbers import ConversationPlace
from prunus.store.sqlite.database import Database
from tests.store.samples import edit, exchange, flush, links, memo, recalled, receipt

Reopen = Callable[..., Store]


def step(n: int) -> list[dict[str, Any]]:
    path = f"src/part_{n % 3}.py"
    text = "".join(f"{line}: total_{n % 3}_{line} = add({line})\n" for line in range(60))
    return [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": path}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": text}]},
    ]


def requests(count: int) -> list[bytes]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look around."}]
    grown = []
    for n in range(count):
        messages = [*messages, *step(n)]
        body = {"model": "claude-sonnet-4-5", "system": "Be brief.", "messages": messages}
        grown.append(json.dumps(body).encode())
    return grown


SETTINGS = [Settings(preset="auto", schedule=name) for name in ("cache", "eager", "pressure")]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s.schedule)
def test_a_restart_changes_no_byte(settings: Settings, reopen: Reopen) -> None:
    bodies = requests(14)
    steady = Pruner(settings)
    expected = [steady.prune(body, now=10.0 * n).body for n, body in enumerate(bodies)]
    for stop in range(1, len(bodies), 3):
        before, after = reopen(), reopen()
        first, second = (Pruner(settings, store.memory(f"run {stop}")) for store in (before, after))
        sent = []
        for n, body in enumerate(bodies):
            sent.append((first if n < stop else second).prune(body, now=10.0 * n).body)
            if n == stop - 1:
                before.close()
        assert sent == expected


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s.schedule)
def test_two_workers_send_the_same_bytes_as_one(settings: Settings, reopen: Reopen) -> None:
    steady = Pruner(settings)
    workers = [Pruner(settings, reopen().memory("")) for _ in range(2)]
    for n, body in enumerate(requests(14)):
        worker = workers[(n * n // 3) % 2]
        assert worker.prune(body, now=10.0 * n).body == steady.prune(body, now=10.0 * n).body


def test_recording_an_exchange_does_not_change_the_memory(store: Store) -> None:
    kept = memo("c1", 6, (edit(2),), at=50.0)
    store.memory("").keep(kept, links(6), {})
    store.record("", exchange("c1", 99, time=9_999.0))
    assert recalled(store.memory(""), links(6)) == (kept, 6)


WHOLE = links(40)
ASKED = {
    "a new conversation": links(2, "new"),
    "a new conversation with a long history": links(600, "new"),
    "the next step": WHOLE[:12],
    "the next step of a conversation with edits": links(8, "b"),
    "many new messages": [*WHOLE[:10], *links(900, "c")],
    "the newest request again": WHOLE[:10],
    "a request that lacks messages": WHOLE[:7],
    "a branch": [*WHOLE[:7], *links(2, "d")],
    "no message": [],
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_recall_returns_what_the_single_questions_return(store: Store, asked: list[bytes]) -> None:
    for n in range(3):
        store.record_all([("", exchange("c0", n, client="claude"))])
    memory = store.memory("")
    memory.keep(memo("long", 10), WHOLE[:10], {})
    memory.keep(memo("early", 6), WHOLE[:6], {})
    memory.keep(memo("edited", 6, (edit(2), edit(4)), (flush(),)), links(6, "b"), {})
    found = memory.recall(asked, "claude")
    assert list(found.matches) == list(memory.find(asked))
    if found.memo is not None:
        assert found.memo() == memory.load(found.matches[0].id)
    if found.experience is not None:
        assert found.experience == memory.experience("claude") == Experience(3)


def test_a_conversation_that_another_process_began_meanwhile_is_not_overwritten(reopen: Reopen) -> None:
    ours, theirs = reopen().memory(""), reopen().memory("")
    assert not ours.recall(links(2), "").matches
    theirs.keep(memo("c1", 4, (edit(2),)), links(4), {})
    with pytest.raises(Overtaken):
        ours.keep(memo("c1", 2), links(2), {})
    assert recalled(reopen().memory(""), links(4)) == (memo("c1", 4, (edit(2),)), 4)


def test_a_conversation_whose_receipts_were_written_first_is_saved(reopen: Reopen) -> None:
    store = reopen()
    reopen().record("", exchange("c1", 1, status=0), [receipt("a", 2)])
    store.memory("").keep(memo("c1", 2), links(2), {})
    assert recalled(reopen().memory(""), links(2)) == (memo("c1", 2), 2)


def test_find_returns_the_conversation_with_the_deepest_link(store: Store) -> None:
    memory = store.memory("")
    whole = links(3_000)
    memory.keep(memo("short", 10), whole[:10], {})
    memory.keep(memo("long", 700), whole[:700], {})
    other = [*whole[:10], *links(900, "b")]
    for asked, expected in ((whole, ("long", 699)), (whole[:300], ("long", 299)), (other, ("long", 9))):
        found = memory.find(asked)[0]
        assert (found.id, found.shared - 1) == expected
    assert not memory.find(links(2_000, "c"))
    assert not memory.find([])


def test_the_stored_ledger_equals_the_ledger_after_every_change(reopen: Reopen) -> None:
    ours, theirs = reopen().memory(""), reopen().memory("")
    one, two, two_again, three = edit(2), edit(4), edit(4, "old_errors"), edit(6)
    states = [
        ((one,), ()),
        ((one, two), (flush(1),)),
        ((two_again,), (flush(1), flush(2))),
        ((), ()),
        ((three,), ()),
    ]
    for n, (edits, flushes) in enumerate(states):
        kept = memo("c1", 2 * n + 2, edits, flushes, at=float(n))
        ours.keep(kept, links(2 * n + 2)[-2:], {})
        assert recalled(theirs, links(2 * n + 2)) == (kept, 2 * n + 2)


def test_a_ledger_that_another_process_changed_is_written_whole(reopen: Reopen) -> None:
    ours, theirs = reopen().memory(""), reopen().memory("")
    ours.keep(memo("c1", 2, (edit(2), edit(4))), links(2), {})
    theirs.keep(memo("c1", 4, (edit(6),)), links(4)[2:], {})
    last = memo("c1", 6, (edit(2), edit(4)))
    ours.keep(last, links(6)[4:], {})
    assert recalled(reopen().memory(""), links(6)) == (last, 6)


def test_a_newer_ledger_of_another_process_is_not_overwritten(reopen: Reopen) -> None:
    ours, theirs = reopen().memory(""), reopen().memory("")
    ours.keep(memo("c1", 2, (edit(2),)), links(2), {})
    assert theirs.load("c1") is not None
    newer = memo("c1", 8, (edit(2), edit(6)))
    theirs.keep(newer, links(8)[2:], {})
    with pytest.raises(Overtaken, match="request of the conversation c1"):
        ours.keep(memo("c1", 6, (edit(2), edit(4))), links(6)[2:], {})
    assert recalled(reopen().memory(""), links(8)) == (newer, 8)


def test_of_two_requests_at_the_same_time_the_first_one_saved_counts(reopen: Reopen) -> None:
    ours, theirs = reopen().memory(""), reopen().memory("")
    ours.keep(memo("c1", 2), links(2), {})
    assert theirs.load("c1") is not None
    first = memo("c1", 4, (edit(2),))
    theirs.keep(first, links(4)[2:], {})
    with pytest.raises(Overtaken):
        ours.keep(memo("c1", 4, (edit(3),)), links(4)[2:], {})
    assert recalled(reopen().memory(""), links(4)) == (first, 4)


@pytest.mark.receipts
def test_a_conversation_that_another_process_removed_is_saved_as_a_whole(reopen: Reopen) -> None:
    """This process relies on its row, finds out that it is gone, and writes everything again."""
    ours, theirs = reopen(), reopen()
    memory = ours.memory("")
    first, second = memo("c1", 2, (edit(2),)), memo("c1", 4, (edit(2), edit(4)))
    memory.keep(first, links(2), {})
    assert theirs.forget("", ["c1"]) == 1
    theirs.memory("").keep(memo("c2", 2), links(2)[:1], {})  # may get the number of the removed row
    memory.keep(second, links(4), {}, lambda: ours.record("", exchange("c1"), [receipt("aaaaaa")]))
    assert recalled(theirs.memory(""), links(4)) == (second, 4)
    assert [one.conversation for one in theirs.receipts("")] == ["c1"]


class KnownAgain(Recent[ConversationPlace, int]):
    """Row numbers; another thread asks for each one that was forgotten."""

    def forget(self, key: ConversationPlace) -> None:
        number = self.get(key)
        super().forget(key)
        if number is not None:
            self.put(key, number)


def test_an_old_state_is_not_relied_on_twice_because_another_thread_knows_the_row(tmp_path: Path) -> None:
    database, cipher = Database(tmp_path / "store.db"), Cipher()
    ours, theirs = (SqlMemory(database, KnownAgain(8), "", None, cipher) for _ in range(2))
    first, last = memo("c1", 2, (edit(2),)), memo("c1", 6, (edit(2), edit(3)))
    ours.keep(first, links(2), {})
    theirs.keep(memo("c1", 4, (edit(2), edit(4))), links(4), {})
    ours.keep(last, links(6), {})
    assert recalled(theirs, links(6)) == (last, 6)
    database.close()


@pytest.mark.receipts
def test_exchanges_of_a_removed_conversation_are_recorded_anew(reopen: Reopen) -> None:
    ours, theirs = reopen(), reopen()
    ours.record_all([("", exchange("c1", 1)), ("", exchange("c2", 1))])
    assert theirs.forget("", ["c1"]) == 1
    ours.record_all([("", exchange("c1", 2)), ("", exchange("c2", 2))])
    assert [one.request for one in theirs.exchanges("", "c1")] == [2]
    assert sorted(one.request for one in theirs.exchanges("", "c2")) == [1, 2]


@pytest.mark.receipts
def test_a_memo_that_was_overtaken_is_not_saved_in_part(reopen: Reopen) -> None:
    """The receipts of a request that has to be pruned again must not stay."""
    ours, store = reopen().memory(""), reopen()
    ours.keep(memo("c1", 2), links(2), {})
    also = memo("c1", 2, (edit(2),)), links(2), {2: None}
    with pytest.raises(Overtaken):
        store.memory("").keep(*also, lambda: store.record("", exchange("c1"), [receipt("aaaaaa")]))
    assert store.receipts("") == []
    assert store.totals("").requests == 0


@pytest.mark.receipts
def test_a_memo_and_its_receipts_are_committed_together(store: Store, reopen: Reopen) -> None:
    other, seen = reopen(), []

    def also() -> None:
        store.record("", exchange("c1"), [receipt("aaaaaa")])
        seen.append((other.memory("").load("c1"), other.receipts("")))

    kept = memo("c1", 2, (edit(2),))
    store.memory("").keep(kept, links(2), {}, also)
    assert seen == [(None, [])]
    assert recalled(other.memory(""), links(2)) == (kept, 2)
    assert [one.id for one in other.receipts("")] == ["aaaaaa"]


def test_a_ledger_that_did_not_change_is_not_written(store: Store, path: Path) -> None:
    import sqlite3

    memory = store.memory("")
    # The memory knows a stored ledger as long as somebody holds it, as the pruner does.
    held = [memo("c1", 2 * n, (edit(2),)) for n in (1, 2)]
    memory.keep(held[0], links(2), {})
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TRIGGER no BEFORE INSERT ON edits BEGIN SELECT raise(ABORT, 'written'); END")
    connection.close()
    memory.keep(held[1], links(4)[2:], {})
    with pytest.raises(StoreError, match="written"):
        memory.keep(memo("c1", 6, (edit(2), edit(4))), links(6)[4:], {})


def test_a_ledger_of_another_version_is_forgotten(store: Store, path: Path) -> None:
    import sqlite3

    store.memory("").keep(memo("c1", 2, (edit(2),)), links(2), {})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE edits SET edit = ?", (b'{"version": 99}',))
    connection.close()
    assert store.memory("").load("c1") is None


WORKER = """
import sys
from prunus import Pruner, Settings
from prunus.store import open_store
from tests.store.test_memory import requests
store = open_store(sys.argv[1])
pruner = Pruner(Settings(schedule="cache"), store.memory(""))
bodies = requests(8)
for line in sys.stdin:
    n = int(line)
    sys.stdout.buffer.write(len(body := pruner.prune(bodies[n], now=10.0 * n).body).to_bytes(8) + body)
    sys.stdout.buffer.flush()
"""


def test_two_processes_send_the_same_bytes_as_one(store_url: str) -> None:
    steady = Pruner(Settings(schedule="cache"))
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{WORKER}", store_url]
    workers = [subprocess.Popen(command, stdin=pipe, stdout=pipe) for _ in range(2)]
    for n, body in enumerate(requests(8)):
        worker = workers[n % 2]
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(b"%d\n" % n)
        worker.stdin.flush()
        answer = worker.stdout.read(int.from_bytes(worker.stdout.read(8)))
        assert answer == steady.prune(body, now=10.0 * n).body
    for worker in workers:
        worker.communicate()


def test_the_life_of_the_cache_comes_back_as_it_was_kept(store: Store) -> None:
    life = CacheLife("1h", 0.0, Hindsight(12.5, (1.0, 2.0, -3.0), 70_000, 7_000.0), Hindsight(4.0))
    store.memory("").keep(replace(memo("c1", 4), life=life), links(4), {})
    kept = store.memory("").load("c1")
    assert kept is not None
    assert kept.life == life


def test_a_keep_alive_request_is_remembered_unless_the_conversation_has_gone_on(store: Store) -> None:
    memory = store.memory("")
    memory.keep(memo("c1", 4, at=100.0), links(4), {})
    assert memory.refresh("c1", 2, 380.0)
    assert not memory.refresh("c1", 1, 500.0)
    assert not store.memory("other").refresh("c1", 2, 500.0)
    kept = store.memory("").load("c1")
    assert kept is not None
    assert (kept.seen, kept.refreshed) == (100.0, 380.0)


def test_hindsight_is_that_of_the_tenants_newest_conversations(store: Store) -> None:
    for n in range(12):
        life = CacheLife(own=Hindsight(2.0**n, (1.0, 1.0, 1.0), 10, 1.0))
        store.memory("").keep(replace(memo(f"c{n}", 2, at=float(n)), life=life), links(2, f"c{n}"), {})
    found = store.memory("").hindsight()
    assert found.hour == sum(2.0**n for n in range(2, 12))
    assert found.kept == (0.0, -10.0, -20.0)
    assert store.memory("other").hindsight() == Hindsight()
