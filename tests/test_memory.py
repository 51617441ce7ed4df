"""Conversations that outlive a process, are shared by several, or leave each other half way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import pytest

from prunus import Pruner, Settings
from prunus.edits import Edit
from prunus.memory import Memo, Past, chain
from prunus.policy.prices import Price
from prunus.policy.requests import Requests
from prunus.policy.schedule import Moment, Plan


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


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s.schedule)
def test_a_session_replayed_from_the_start_is_one_conversation_each_time(settings: Settings) -> None:
    requests = [json.dumps(body).encode() for body in bodies(10)]
    shelf = Shelf()
    for run in range(3):
        pruner = Pruner(settings, shelf)
        outs = [pruner.prune(body, now=1_000.0 * run + n) for n, body in enumerate(requests)]
        assert [out.error for out in outs] == [None] * len(outs)
        assert len({out.conversation for out in outs}) == len(pruner._conversations) == 1
        assert all(later.request == earlier.request + 1 for earlier, later in pairwise(outs))
    assert len(shelf.memos) == 1


def test_two_replays_at_a_time_are_one_conversation_each() -> None:
    """Each has left the other behind, by any number of requests; none takes the other for itself."""
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


@dataclass(frozen=True, slots=True)
class Noted:
    """A schedule that makes no edit, and keeps what it was told of the past."""

    name: ClassVar[str] = "noted"
    presses: ClassVar[bool] = False

    told: list[Requests] = field(default_factory=list)
    asked: list[Requests] = field(default_factory=list)

    def takes(self, edit: Edit, price: Price, requests: int, past: Requests) -> bool:
        self.asked.append(past)
        return True

    def plan(self, moment: Moment) -> Plan:
        self.told.append(moment.past)
        return Plan(1 << 62, "")


def sent(pruner: Pruner, count: int, first: str, now: float) -> None:
    for body in bodies(count, first):
        assert pruner.prune(body, now=now).error is None


def told(pruner: Pruner, schedule: Noted, now: float) -> Requests:
    """What the schedule is told of the past with a new request at this time, in which something could go."""
    assert pruner.prune(bodies(6, f"At {now}")[-1], now=now).error is None
    return schedule.told[-1]


def test_the_schedule_is_told_how_long_the_conversations_of_the_memory_lasted() -> None:
    shelf, schedule = Shelf(), Noted()
    for count, first in (5, "One."), (3, "Another."):
        sent(Pruner(Settings(), shelf), count, first, 0.0)
    sent(Pruner(Settings(), shelf), 7, "Still at it.", 2 * HOUR)
    pruner = Pruner(Settings(), shelf, schedule=schedule)
    assert told(pruner, schedule, 2 * HOUR + 60) == Requests((3, 5))
    assert told(pruner, schedule, 4 * HOUR) == Requests((1, 3, 5, 7))


@pytest.mark.parametrize("shared", [True, False], ids=["memory", "alone"])
@pytest.mark.parametrize("again", [True, False], ids=["looked up before", "looked up now"])
def test_a_conversation_that_is_resumed_has_not_ended(shared: bool, again: bool) -> None:
    schedule = Noted()
    pruner = Pruner(Settings(), Shelf() if shared else None, schedule=schedule)
    sent(pruner, 4, "One.", 0.0)
    sent(pruner, 4, "Another.", 0.0)
    if again:
        assert told(pruner, schedule, 2 * HOUR) == Requests((4, 4))
    for n, body in enumerate(bodies(7, "One.")[4:]):
        assert pruner.prune(body, now=2 * HOUR + 1 + n).error is None
        assert schedule.told[-1] == Requests((4,))
    assert told(pruner, schedule, 2 * HOUR + 500) == Requests((4,))


def test_one_that_another_process_left_has_not_ended_either() -> None:
    shelf, schedule = Shelf(), Noted()
    sent(Pruner(Settings(), shelf), 4, "One.", 0.0)
    pruner = Pruner(Settings(), shelf, schedule=schedule)
    assert told(pruner, schedule, 2 * HOUR) == Requests((4,))
    assert pruner.prune(bodies(5, "One.")[-1], now=2 * HOUR + 1).error is None
    assert schedule.told[-1] == Requests()


def test_one_that_was_left_half_way_has_ended() -> None:
    shelf, schedule = Shelf(), Noted()
    sent(Pruner(Settings(), shelf, schedule=Noted()), 8, "One.", 0.0)
    pruner = Pruner(Settings(), shelf, schedule=schedule)
    forked = bodies(6, "One.")[-1]
    forked["messages"] = [
        *forked["messages"],
        {"role": "assistant", "content": "Enough."},
        {"role": "user", "content": "No."},
    ]
    assert pruner.prune(forked, now=2 * HOUR).error is None
    assert schedule.told[-1] == Requests((8,))


def test_the_schedule_weighs_risks_by_the_same_past() -> None:
    risky = Settings(preset="off", strategies={"finished_results": {"enabled": True, "idle": 1, "shell": 1}})
    shelf, schedule = Shelf(), Noted()
    sent(Pruner(Settings(), shelf), 5, "One.", 0.0)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Run it."}]
    for n in range(6):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"make {n}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"some output {n}\n" * 200}
        messages += ({"role": "assistant", "content": [call]}, {"role": "user", "content": [result]})
    out = Pruner(risky, shelf, schedule=schedule).prune({"system": "s", "messages": messages}, now=2 * HOUR)
    assert out.error is None
    assert set(schedule.asked) == set(schedule.told) == {Requests((5,))}


def test_without_a_memory_the_schedule_is_told_of_those_that_were_put_away() -> None:
    schedule = Noted()
    pruner = Pruner(Settings(limits={"conversations": 1}), schedule=schedule)
    sent(pruner, 5, "One.", 0.0)
    sent(pruner, 3, "Another.", 1.0)
    assert told(pruner, schedule, 600.0) == Requests((5,))
    assert told(pruner, schedule, 1_200.0) == Requests((3, 5))


def test_without_a_memory_the_schedule_is_told_of_those_that_are_idle() -> None:
    schedule = Noted()
    pruner = Pruner(Settings(limits={"idle": 36_000}), schedule=schedule)
    sent(pruner, 5, "One.", 0.0)
    sent(pruner, 3, "Another.", 2 * HOUR)
    assert told(pruner, schedule, 2 * HOUR + 1) == Requests((5,))
    assert told(pruner, schedule, 3 * HOUR + 600) == Requests((1, 3, 5))


def test_without_a_memory_one_that_was_idle_too_long_still_counts() -> None:
    schedule = Noted()
    pruner = Pruner(Settings(limits={"idle": 3_600}), schedule=schedule)
    sent(pruner, 5, "One.", 0.0)
    assert told(pruner, schedule, 3 * HOUR) == Requests((5,))
    assert len(pruner._conversations) == 1
    assert told(pruner, schedule, 3 * HOUR + 600) == Requests((5,))


def test_a_memory_that_forgets_is_not_corrected_by_what_the_process_holds() -> None:
    shelf, schedule = Shelf(), Noted()
    pruner = Pruner(Settings(limits={"conversations": 1}), shelf, schedule=schedule)
    sent(pruner, 5, "One.", 0.0)
    shelf.memos.clear()
    shelf.links.clear()
    assert told(pruner, schedule, 2 * HOUR) == Requests()
