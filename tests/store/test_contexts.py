"""The store keeps token counts of the newest request of each conversation."""

from dataclasses import replace
from pathlib import Path

import pytest

from prunus.conversations.context import Context
from prunus.edits import Edit, Note
from prunus.errors import FormatError
from prunus.history import Ref
from prunus.outcome import Receipt
from prunus.store import Store, open_store
from prunus.store.sql.migrations import MIGRATIONS
from prunus.store.sqlite.database import Database
from prunus.tally import Tally
from tests.store.samples import exchange, receipt

FILLED = Context(900, 700, {"old_todos": Tally(2, 200)}, {"system": 100, "historical": 600}, {"critical": 700})

pytestmark = pytest.mark.receipts


def test_the_context_is_that_of_the_newest_request(store: Store) -> None:
    store.record("", exchange("c1", 2, context=FILLED))
    store.record("", exchange("c1", 1, context=Context()))
    store.record("", exchange("c2", 1, context=FILLED, shadow=True))
    store.record("other", exchange("c3", 1, context=FILLED))
    assert store.contexts("", "c1") == [FILLED]
    assert store.contexts("") == [FILLED, replace(FILLED, shadow=True)]
    assert store.contexts("", "c9") == []
    store.clear()
    assert store.contexts("") == []


def test_loading_invalid_context_numbers_raises_format_error() -> None:
    assert Context.load(FILLED.dump()) == FILLED
    with pytest.raises(FormatError, match="not a context"):
        Context.load(b"[]")


def parts_of_a_call(strategy: str, follows: str) -> list[Receipt]:
    """Return receipts for the result of a call, cut by a strategy, and for its input, which goes with it."""
    cut = Edit(Ref(3, 0), Note("-"), strategy, "later", tokens_before=50, tokens_after=10)
    bare = Edit(Ref(2, 1), Note("-"), "spent_inputs", "later", tokens_before=90, tokens_after=20, follows=follows)
    return [
        Receipt("aaaaaa", cut, "out", "todowrite", 1, "tools", Ref(2, 1)),
        Receipt("bbbbbb", bare, "in", "todowrite", 1, "tools", Ref(2, 1)),
    ]


@pytest.mark.parametrize("conversation", ["c1", ""])
def test_input_and_result_of_a_superseded_call_count_as_one_prune(store: Store, conversation: str) -> None:
    store.record("", exchange("c1"), parts_of_a_call("old_todos", "old_todos"))
    assert store.totals("", conversation).strategies == {"old_todos": Tally(1, 110)}
    store.record("", exchange("c1", 2), parts_of_a_call("stale_reads", "stale_reads"))
    assert store.totals("", conversation).strategies == {"stale_reads": Tally(1, 110)}


@pytest.mark.parametrize("conversation", ["c1", ""])
def test_a_prune_whose_note_would_be_longer_counts_and_is_not_listed(store: Store, conversation: str) -> None:
    result, bare = parts_of_a_call("old_todos", "old_todos")
    passed = replace(result, passed=True, original="")
    store.record("", exchange("c1"), [passed])
    assert store.totals("", conversation).strategies == {"old_todos": Tally(1, 0)}
    assert (store.receipts(""), store.find("", "aaaaaa"), store.info().receipts) == ([], [], 0)
    assert store.sessions("")[0].receipts == 0
    store.record("", exchange("c1", 2), [passed, bare])
    assert store.totals("", conversation).strategies == {"old_todos": Tally(1, 70)}
    store.record("", exchange("c1", 3), [result])
    store.record("", exchange("c1", 4), [passed])
    assert store.totals("", conversation).strategies == {"old_todos": Tally(1, 110)}
    assert len(store.receipts("")) == 2


def test_a_store_of_the_previous_version_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    old = Database(path, migrations=MIGRATIONS[:4])
    old.write(
        lambda connection: [
            connection.execute("INSERT INTO conversations (n, tenant, id, first, last) VALUES (1, '', 'c1', 1, 2)"),
            connection.execute(
                "INSERT INTO receipts (conversation, id, message, part, request, time, turn, tool, what, strategy, "
                "reason, tokens_before, tokens_after, price, shadow) "
                "VALUES (1, 'abcdef', 2, 0, 1, 1.0, 1, 'Read', 'note', 'stale_reads', 'why', 100, 10, 0, 0)"
            ),
            connection.execute("INSERT INTO strategies VALUES ('', 0, 'stale_reads', 1, 90)"),
        ]
    )
    old.close()
    store = open_store(f"sqlite:///{path}")
    assert [one.id for one in store.receipts("")] == ["abcdef"]
    assert store.contexts("") == []
    store.record("", exchange("c1", 2, context=FILLED), [receipt("bbbbbb", 4, strategy="stale_reads")])
    for conversation in ("", "c1"):
        assert store.totals("", conversation).strategies == {"stale_reads": Tally(2, 180)}
    assert store.contexts("") == [FILLED]
    assert store.info().version == len(MIGRATIONS)
