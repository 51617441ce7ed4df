"""A request costs only what is new in it, and gives the same result as alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from prunus.agent.steps import root
from prunus.agent.threads import Found, Thread, Threads
from prunus.providers import api_named, frame
from prunus.providers.rewriting import place_beside, rewritten
from tests.agent.scripts import FORMATS, Part
from tests.agent.test_hidden import INFO, Talk
from tests.formats import FIELDS

every_format = pytest.mark.parametrize("format", FORMATS)
CHAT = "openai_chat"
USER = {"role": "user", "content": "Go."}
SAID = {"role": "assistant", "content": "Yes."}


def body(*messages: Any, **more: Any) -> bytes:
    return json.dumps({"model": "m", "messages": list(messages), **more}).encode()


class CountingStore:
    """Counts what it is asked for."""

    def __init__(self, *, whole: bool = True) -> None:
        self.asked: list[int] = []
        self.whole = whole

    def lookup(self, keys: Iterable[str]) -> Found:
        self.asked.append(len(list(keys)))
        return Found({}, self.whole)


def read(threads: Threads, raw: bytes, store: CountingStore, *, hides: bool = True) -> Thread:
    return threads.read(threads.arrive(raw, api_named(CHAT), root("", "", CHAT)), store.lookup, hides=hides)


def growing(turns: int) -> list[Any]:
    return [{**message, "content": f"{message['content']} {n}"} for n in range(turns) for message in (USER, SAID)]


@every_format
def test_each_request_is_restored_as_if_it_were_the_only_one(format: str) -> None:
    talk = Talk(format, True)
    for turn in range(6):
        id = f"toolu_{turn:012}"
        call: Part = ("call", id, "read", {"path": f"/{turn}"})
        talk.ask(*([[INFO], [call]] if turn % 2 else [[call]]))
        talk.answer((id, "text"))
        sent = []
        for fresh in (False, True):
            layer, pruner = talk.layer, talk.pruner
            if fresh:
                talk.restart()
            request = json.dumps({"model": "m", "tools": [], FIELDS[format]: talk.messages}).encode()
            exchange = talk.layer.open(request, format, streaming=True, tenant="", caller="")
            assert exchange is not None
            sent.append(exchange.before())
            talk.layer, talk.pruner = layer, pruner
        assert sent[0] == sent[1]
        assert sent[0].count(b"hid_0123456789") == 2 * ((turn + 1) // 2)


def test_only_new_steps_are_asked_for() -> None:
    threads, store = Threads(8, 1 << 30, intents=False), CountingStore()
    for turns in range(1, 60):
        read(threads, body(*growing(turns), USER), store)
    assert max(store.asked) <= 2


def test_a_body_whose_head_changes_shares_its_messages_all_the_same() -> None:
    threads, store = Threads(8, 1 << 30, intents=False), CountingStore()
    for turns in range(1, 60):
        raw = json.dumps({"n": turns, "messages": [*growing(turns), USER]}).encode()
        read(threads, raw, store)
    assert max(store.asked) <= 2


def test_the_store_is_asked_again_after_an_incomplete_answer() -> None:
    threads, store = Threads(8, 1 << 30, intents=False), CountingStore(whole=False)
    for _ in range(2):
        read(threads, body(*growing(5), USER), store)
    store.whole = True
    for _ in range(2):
        read(threads, body(*growing(5), USER), store)
    assert store.asked == [5, 5, 5, 1]


def test_a_request_that_hides_nothing_lends_nothing_to_one_that_does() -> None:
    threads, store = Threads(8, 1 << 30, intents=False), CountingStore()
    read(threads, body(*growing(5), USER), store, hides=False)
    read(threads, body(*growing(5), USER), store)
    assert store.asked == [5]


@pytest.mark.parametrize(("count", "size"), [(2, 1 << 30), (100, 3_000)])
def test_the_oldest_threads_are_dropped_beyond_the_limits(count: int, size: int) -> None:
    threads, store = Threads(count, size, intents=False), CountingStore()
    others = [body({"role": "user", "content": f"{n} {'x' * 900}"}, SAID, USER) for n in range(4)]
    for raw in others:
        read(threads, raw, store)
    before = len(store.asked)
    for raw in (others[3], others[0]):
        assert (threads.arrive(raw, api_named(CHAT), root("", "", CHAT)).known is None) is (raw is others[0])
    assert len(store.asked) == before


@pytest.mark.parametrize("more", [{}, {"tools": [{"name": "a]}\\"}]}, {"z": 1, "tools": []}])
@pytest.mark.parametrize("messages", [[], [USER], [USER, SAID, {"role": "user", "content": '"tools": [{"a": 1}]'}]])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_value_beside_the_messages_is_put_in_its_place(
    more: Any, messages: list[Any], indent: int | None
) -> None:
    for value in ({"messages": messages, **more}, {**more, "messages": messages}):
        cut = frame(json.dumps(value, indent=indent).encode(), CHAT)
        changed = json.loads(rewritten(cut.body, [place_beside(cut, "tools", b'["new"]')]))
        assert changed == {**value, "tools": ["new"]} and list(changed) == list({**value, "tools": 0})
    assert rewritten(cut.body, []) is cut.body


@pytest.mark.parametrize("value", [{"input": "Hi", "tools": [1]}, {"tools": [1], "input": "Hi"}, {"input": "Hi"}])
def test_a_text_in_place_of_the_messages_is_passed_over(value: Any) -> None:
    cut = frame(json.dumps(value).encode(), "openai_responses")
    assert json.loads(rewritten(cut.body, [place_beside(cut, "tools", b"[2]")])) == {**value, "tools": [2]}


def test_a_request_is_compared_only_with_requests_of_its_caller_that_begin_as_it_does() -> None:
    threads, store = Threads(4, 1 << 30, intents=False), CountingStore()
    for name in ("plums", "sloes", "pears"):
        read(threads, body({"role": "user", "content": name}, SAID, USER), store)
    [beginnings] = threads._beginnings.values()
    again = body({"role": "user", "content": "sloes"}, SAID, USER, SAID, USER)
    assert len(list(beginnings.like(again))) == 1
    assert threads.arrive(again, api_named(CHAT), root("", "another", CHAT)).known is None
    for n in range(4):
        raw = body({"role": "user", "content": f"{n}"}, SAID, USER)
        threads.read(threads.arrive(raw, api_named(CHAT), root("", "another", CHAT)), store.lookup, hides=True)
    assert list(threads._beginnings) == [root("", "another", CHAT)]
