"""Conversations that outlive a process, are shared by several, or leave each other half way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.conversations.memory import ConversationRecord, Match, Memory, chain, nothing_else
from prunus.errors import Overtaken
from prunus.reuse.asked_again import Experience
from prunus.schedule.cache_life import Hindsight, total
from prunus.schedule.ledger import Written


class Shelf(Memory):
    """A memory that keeps everything, as a store would that several processes share."""

    checks = True

    def __init__(self) -> None:
        self.memos: dict[str, ConversationRecord] = {}
        self.links: dict[bytes, tuple[str, int]] = {}
        self.texts: dict[str, dict[int, Written | None]] = {}
        self.known: dict[str, Experience] = {}
        self.commands: dict[str, list[str]] = {}

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        holders = [self.links[link] for link in reversed(links) if link in self.links]
        found = [
            Match(id, self.memos[id].depth, self.memos[id].requests, shared, id in self.commands)
            for id, shared in holders
        ]
        return [*found[:1], *[one for one in found[1:] if not one.left]]

    def _deepest(self, links: Sequence[bytes]) -> tuple[str, int] | None:
        """Return the conversation that was the last to send the deepest known link, and how deep that link is."""
        return next((self.links[link] for link in reversed(links) if link in self.links), None)

    def ask(self, id: str, what: str) -> None:
        """Let a command wait for the next request of a conversation."""
        self.commands.setdefault(id, []).append(what)

    def take(self, id: str) -> Sequence[str]:
        return self.commands.pop(id, ())

    def load(self, id: str) -> ConversationRecord | None:
        return self.memos.get(id)

    def written(self, id: str) -> Mapping[int, Written | None]:
        return self.texts.get(id, {})

    def keep(
        self,
        memo: ConversationRecord,
        links: Sequence[bytes],
        written: Mapping[int, Written | None],
        also: Callable[[], None] = nothing_else,
        follows: bytes = b"",
    ) -> None:
        if memo.id in self.memos and self.memos[memo.id].requests >= memo.requests:
            raise Overtaken
        if follows and self._deepest([follows, *links]) != (memo.id, memo.depth - len(links)):
            raise Overtaken
        if follows and self.commands.get(memo.id):
            raise Overtaken
        also()
        self.memos[memo.id] = memo
        self.texts[memo.id] = {**self.texts.get(memo.id, {}), **written}
        for at, link in enumerate(links):
            self.links[link] = memo.id, memo.depth - len(links) + at + 1

    def experience(self, client: str) -> Experience:
        return self.known.get(client, Experience())

    def refresh(self, id: str, requests: int, time: float) -> bool:
        memo = self.memos[id]
        if memo.requests == requests:
            self.memos[id] = replace(memo, life=replace(memo.life, kept=time))
        return memo.requests == requests

    def hindsight(self) -> Hindsight:
        return total(memo.life.own.ended() for memo in self.memos.values())


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


def test_receipts_hold_the_whole_text_of_each_cut_part() -> None:
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


def test_a_link_of_the_chain_depends_on_all_messages_before_it() -> None:
    digests = [bytes([n]) * 16 for n in range(5)]
    whole = chain(digests, b"anthropic")
    assert chain(digests[3:], whole[2]) == whole[3:]
    assert chain([digests[1], digests[0]], b"anthropic")[-1] != whole[1]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s.schedule)
def test_a_session_replayed_from_the_start_is_a_conversation_of_its_own(settings: Settings) -> None:
    requests = [json.dumps(body).encode() for body in bodies(10)]
    shelf = Shelf()
    for run in range(3):
        pruner = Pruner(settings, shelf)
        outs = [pruner.prune(body, now=1_000.0 * run + n) for n, body in enumerate(requests)]
        assert [out.error for out in outs] == [None] * len(outs)
        assert len({out.conversation for out in outs}) == len(pruner._conversations) == 1
        assert all(later.request == earlier.request + 1 for earlier, later in pairwise(outs))
    assert len(shelf.memos) == 3


def test_two_replays_at_a_time_are_one_conversation_each() -> None:
    """One runs some requests ahead of the other, and none takes the other for itself."""
    requests = [json.dumps(body).encode() for body in bodies(12)]
    shelf = Shelf()
    ahead, behind = Pruner(Settings(), shelf), Pruner(Settings(), shelf)
    named: dict[int, set[str]] = {0: set(), 1: set()}
    for n in range(len(requests) + 4):
        for which, (pruner, at) in enumerate(((ahead, n), (behind, n - 4))):
            if 0 <= at < len(requests):
                out = pruner.prune(requests[at], now=10.0 * n + which)
                assert out.error is None
                named[which].add(out.conversation)
    assert [len(names) for names in named.values()] == [1, 1]
    assert named[0] != named[1]


def test_a_conversation_that_another_process_went_on_with_is_followed() -> None:
    requests = [json.dumps(body).encode() for body in bodies(12)]
    shelf, steady = Shelf(), Pruner(Settings(schedule="eager"))
    ours, theirs = (Pruner(Settings(schedule="eager"), shelf) for _ in range(2))
    for n, body in enumerate(requests):
        out = (theirs if 3 <= n < 9 else ours).prune(body, now=10.0 * n)
        expected = steady.prune(body, now=10.0 * n)
        assert (out.body, out.conversation, out.request) == (expected.body, expected.conversation, n + 1)
        assert out.receipts == expected.receipts
    assert len(ours._conversations) == len(theirs._conversations) == len(shelf.memos) == 1


def test_a_retry_in_another_process_is_the_same_request_of_the_same_conversation() -> None:
    requests = [json.dumps(body).encode() for body in bodies(6)]
    shelf = Shelf()
    ours, theirs = (Pruner(Settings(schedule="eager"), shelf) for _ in range(2))
    for n, body in enumerate(requests):
        first, again = ours.prune(body, now=10.0 * n), theirs.prune(body, now=10.0 * n + 1)
        assert (first.body, first.conversation) == (again.body, again.conversation)
    assert len(shelf.memos) == 1


class Late(Shelf):
    """A memory whose answer comes after another thread has sent a request."""

    checks = False

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = None

    def find(self, links: Sequence[bytes]) -> Sequence[Match]:
        found = super().find(links)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return found


@pytest.mark.parametrize("threads", ["of one process", "of two processes"])
def test_equal_requests_at_the_same_moment_belong_to_one_conversation(threads: str) -> None:
    shelf = Late()
    pruner = Pruner(Settings(), shelf)
    other = pruner if threads == "of one process" else Pruner(Settings(), shelf)
    for n, body in enumerate(bodies(6)):
        shelf.meanwhile = partial(other.prune, body, now=10.0 * n)
        outcome = pruner.prune(body, now=10.0 * n)
        assert outcome.error is None and outcome.request == 2 * (n + 1)
    assert len(shelf.memos) == 1
