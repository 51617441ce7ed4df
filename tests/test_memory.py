"""Conversations that outlive a process, are shared by several, or leave each other half way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.memory import Memo, Past, chain
from prunus.policy.requests import Requests


class Shelf:
    """A memory that keeps everything, as a store would."""

    def __init__(self) -> None:
        self.memos: dict[str, Memo] = {}
        self.links: dict[bytes, tuple[str, int]] = {}

    def recall(self, links: Sequence[bytes]) -> tuple[Memo, int] | None:
        for at in range(len(links) - 1, -1, -1):
            if links[at] in self.links:
                return self.memos[self.links[links[at]][0]], at
        return None

    def keep(self, memo: Memo, links: Sequence[bytes]) -> None:
        self.memos[memo.id] = memo
        for at, link in enumerate(links):
            self.links[link] = memo.id, memo.depth - len(links) + at + 1

    def lengths(self, before: float) -> Sequence[int]:
        return [memo.requests for memo in self.memos.values() if memo.seen < before]


def step(n: int) -> list[dict[str, Any]]:
    path = f"src/file_{n % 3}.py"
    text = "".join(f"{line}: value_{n % 3}_{line} = compute({line})\n" for line in range(60))
    return [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": path}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": text}]},
    ]


def bodies(count: int, first: str = "Look around.") -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": first}]
    grown = []
    for n in range(count):
        messages = [*messages, *step(n)]
        grown.append({"model": "claude-sonnet-4-5", "system": "Be brief.", "messages": messages})
    return grown


SETTINGS = [Settings(preset="auto", schedule=name) for name in ("cache", "eager", "pressure")]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s.schedule)
def test_a_restart_at_any_request_changes_no_byte(settings: Settings) -> None:
    requests = [json.dumps(body).encode() for body in bodies(14)]
    steady = Pruner(settings)
    expected = [steady.prune(body, now=10.0 * n).body for n, body in enumerate(requests)]
    for stop in range(1, len(requests)):
        shelf = Shelf()
        before, after = Pruner(settings, shelf), Pruner(settings, shelf)
        sent = [(before if n < stop else after).prune(body, now=10.0 * n).body for n, body in enumerate(requests)]
        assert sent == expected


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s.schedule)
def test_two_workers_with_one_memory_give_the_bytes_of_one(settings: Settings) -> None:
    requests = [json.dumps(body).encode() for body in bodies(14)]
    steady, shelf = Pruner(settings), Shelf()
    workers = [Pruner(settings, shelf), Pruner(settings, shelf)]
    for n, body in enumerate(requests):
        worker = workers[(n * n // 3) % 2]
        assert worker.prune(body, now=10.0 * n).body == steady.prune(body, now=10.0 * n).body
    assert len({memo.id for memo in shelf.memos.values()}) == 1


@pytest.mark.parametrize("remembered", [False, True], ids=["one process", "after a restart"])
def test_a_fork_keeps_the_edits_up_to_the_fork(remembered: bool) -> None:
    settings = Settings(schedule="eager")
    shelf = Shelf()
    pruner = Pruner(settings, shelf)
    full = bodies(12)
    for n, body in enumerate(full):
        out = pruner.prune(body, now=10.0 * n)
    keep = 15
    fork = {**full[-1], "messages": [*full[-1]["messages"][:keep], {"role": "user", "content": "Another way."}]}
    manual = Pruner(Settings(schedule="manual"), shelf) if remembered else pruner
    forked = manual.prune(fork, now=130.0)
    assert forked.body["messages"][: keep - 6] == out.body["messages"][: keep - 6]
    assert forked.edits
    assert forked.conversation != out.conversation


def test_a_lost_memory_costs_no_more_than_one_break() -> None:
    settings = Settings(schedule="cache")
    requests = [json.dumps(body).encode() for body in bodies(14)]
    pruner = Pruner(settings, Shelf())
    for n, body in enumerate(requests[:7]):
        pruner.prune(body, now=10.0 * n)
    bare = Pruner(settings, Shelf())
    outs = [bare.prune(body, now=10.0 * n) for n, body in enumerate(requests[7:], 7)]
    for earlier, later in pairwise(outs):
        if later.flush is None:
            assert (
                json.loads(later.body)["messages"][: earlier.report.messages]
                == json.loads(earlier.body)["messages"]
            )


def test_a_request_has_the_same_name_in_every_process() -> None:
    first, second = Pruner().prune(bodies(3)[-1]), Pruner().prune(bodies(3)[-1])
    other = Pruner().prune(bodies(3, "Something else.")[-1])
    assert first.conversation == second.conversation != other.conversation
    assert first.request == 1


def test_receipts_name_what_went_and_hold_it_whole() -> None:
    pruner = Pruner(Settings(schedule="eager"))
    seen: dict[str, str] = {}
    for n, body in enumerate(bodies(8)):
        out = pruner.prune(body, now=10.0 * n)
        assert {r.edit for r in out.receipts} <= set(out.edits)
        for receipt in out.receipts:
            assert receipt.id not in seen
            seen[receipt.id] = receipt.original
    assert seen
    originals = {block["content"] for n in range(8) for block in step(n)[1]["content"]}
    assert set(seen.values()) <= originals


def test_a_link_names_all_messages_before_it() -> None:
    digests = [bytes([n]) * 16 for n in range(5)]
    whole = chain(digests, b"anthropic")
    assert chain(digests[3:], whole[2]) == whole[3:]
    assert chain([digests[1], digests[0]], b"anthropic")[-1] != whole[1]


HOUR = 3_600.0


def test_a_process_on_its_own_knows_what_it_forgot_and_what_is_idle() -> None:
    past = Past(None)
    past.forget(12)
    held = [(0.0, 30), (2 * HOUR - 60, 70)]
    assert past.requests(2 * HOUR, held) == Requests((12, 30))


def test_the_past_is_looked_up_every_ten_minutes() -> None:
    past = Past(None)
    assert past.requests(HOUR, []) == Requests()
    past.forget(12)
    assert past.requests(HOUR + 599, []) == Requests()
    assert past.requests(HOUR + 600, []) == Requests((12,))


def test_what_the_memory_knows_counts_for_all_processes() -> None:
    shelf = Shelf()
    pruner = Pruner(Settings(), shelf)
    for n, body in enumerate(bodies(5)):
        pruner.prune(body, now=10.0 * n)
    assert Past(shelf).requests(HOUR, []) == Requests()
    assert Past(shelf).requests(HOUR + 600, []) == Requests((5,))


def test_two_processes_that_ask_at_different_times_say_the_same() -> None:
    shelf = Shelf()
    pruner, first, second = Pruner(Settings(), shelf), Past(shelf), Past(shelf)
    early = first.requests(2 * HOUR + 1, [])
    pruner.prune(bodies(1)[0], now=HOUR + 300)
    assert second.requests(2 * HOUR + 599, []) == early


def test_a_memory_that_fails_costs_the_estimate_only() -> None:
    class Down(Shelf):
        broken = False

        def lengths(self, before: float) -> Sequence[int]:
            if self.broken:
                raise OSError("gone")
            return super().lengths(before)

    shelf = Down()
    past = Past(shelf)
    Pruner(Settings(), shelf).prune(bodies(1)[0], now=0.0)
    known = past.requests(2 * HOUR, [])
    shelf.broken = True
    assert past.requests(3 * HOUR, []) == known == Requests((1,))
