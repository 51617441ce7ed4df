"""The life of the provider's cache, as a process knows it and passes it to the schedule."""

from __future__ import annotations

import json
from typing import Any

from prunus import Outcome, Pruner, Settings
from prunus.schedule.cache_life import Hindsight
from tests.conversations.test_memory import Shelf

TEXT = "".join(f"{n}: the result of a long command\n" for n in range(300))


def body(turns: int, repeats: int = 1) -> bytes:
    """A conversation in which the user speaks before each command; the same command comes several times."""
    messages: list[dict[str, Any]] = []
    for n in range(turns):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"make {n // repeats}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"{n // repeats}\n{TEXT}"}
        messages += [
            {"role": "user", "content": f"Now {n}."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [{"type": "text", "text": f"Done with {n}."}]},
        ]
    messages.append({"role": "user", "content": f"Now {turns}."})
    return json.dumps({"model": "claude-opus-4-8", "max_tokens": 9, "messages": messages}).encode()


def pruner(memory: Shelf | None = None, **cache: Any) -> Pruner:
    return Pruner(Settings(preset="off", cache=cache), memory)


def sent(one: Pruner, turns: int, now: float, **more: Any) -> Outcome[bytes]:
    outcome = one.prune(body(turns), now, marks=True, **more)
    assert outcome.error is None
    return outcome


def test_keep_alive_requests_pay_after_a_pause_that_they_would_have_bridged() -> None:
    one = pruner()
    first = sent(one, 1, 0.0)
    assert one.warmth.keep_alives(first.conversation, 1, 3) == 0
    second = sent(one, 2, 400.0)
    assert one.warmth.keep_alives(second.conversation, 2, 3) == 1


def test_no_keep_alive_request_pays_once_the_conversation_has_continued() -> None:
    one = pruner()
    sent(one, 1, 0.0)
    sent(one, 2, 400.0)
    name = sent(one, 3, 800.0).conversation
    assert one.warmth.keep_alives(name, 2, 3) == 0
    assert not one.warmth.refresh(name, 2, 900.0)
    assert one.warmth.keep_alives("unknown", 1, 3) == 0


def test_another_replica_knows_of_a_keep_alive_request() -> None:
    memory = Shelf()
    one, other = pruner(memory), pruner(memory)
    name = sent(one, 1, 0.0).conversation
    assert one.warmth.refresh(name, 1, 280.0)
    assert memory.memos[name].refreshed == 280.0
    sent(other, 2, 560.0)
    assert not one.warmth.refresh(name, 1, 600.0)


def test_the_schedule_knows_that_the_cache_was_kept_alive() -> None:
    settings = Settings(preset="off", strategies={"duplicate_calls": {"enabled": True, "point_back": False}})
    for kept in (False, True):
        one = Pruner(settings)
        name = one.prune(body(1, repeats=3), 0.0).conversation
        if kept:
            assert one.warmth.refresh(name, 1, 280.0)
        flush = one.prune(body(3, repeats=3), 400.0).flush
        assert (flush is not None and flush.reason == "idle for 400 seconds") is not kept


def test_the_schedule_knows_how_long_the_chosen_lifetime_is() -> None:
    one = pruner(lifetime="1h")
    assert sent(one, 1, 0.0).lifetime == "1h"
    assert sent(one, 2, 1800.0).lifetime == "1h"
    memo = one._conversations[0].memo
    # The second request reads what the first one wrote: the account counts no rewrite.
    assert memo.account.paid < 2.0 * memo.account.tokens + 0.2 * memo.account.tokens


def test_only_a_caller_who_sets_marks_gets_a_lifetime() -> None:
    one = pruner(lifetime="1h")
    assert one.prune(body(1), 0.0).lifetime == ""
    assert one.prune(body(1), 0.0, marks=True, hold=True).lifetime == "1h"


def test_auto_leaves_the_requests_of_sub_agents_alone() -> None:
    memory = Shelf()
    for turns, now in ((1, 0.0), (2, 1000.0), (3, 2000.0), (4, 3000.0)):
        sent(pruner(memory, lifetime="auto"), turns, now)
    assert next(iter(memory.memos.values())).life.lifetime == "1h"
    other = body(1).replace(b"Now 0.", b"Another task.")
    one = pruner(memory, lifetime="auto")
    assert one.prune(other, 4000.0, marks=True, subagent=True).lifetime == ""
    again = body(1).replace(b"Now 0.", b"A third task.")
    assert one.prune(again, 4000.0, marks=True).lifetime == "1h"


def test_a_fork_knows_the_pauses_of_the_conversation_that_it_leaves() -> None:
    one = pruner()
    sent(one, 1, 0.0)
    sent(one, 2, 400.0)
    undone = body(2).replace(b"Now 2.", b"No, something else.")
    forked = one.prune(undone, 410.0).conversation
    assert one._conversations.named(forked).memo.life.own.kept[0] > 0  # type: ignore[union-attr]


def test_a_new_conversation_knows_the_sums_of_earlier_ones_of_the_same_owner() -> None:
    one = pruner(keep_alive=1)
    sent(one, 1, 0.0, owner="me")
    sent(one, 2, 400.0, owner="me")
    other = body(1).replace(b"Now 0.", b"Another task.")
    for owner, knows in (("me", True), ("you", False)):
        name = one.prune(other, 500.0, owner=owner).conversation
        usual = one._conversations.named(name).memo.life.usual  # type: ignore[union-attr]
        assert (usual != Hindsight()) is knows


def test_no_store_is_asked_for_pauses_that_no_setting_uses() -> None:
    class Asked(Shelf):
        asks = 0

        def hindsight(self) -> Hindsight:
            self.asks += 1
            return Hindsight()

    for cache, asks in (({}, 0), ({"lifetime": "1h"}, 0), ({"lifetime": "auto"}, 1), ({"keep_alive": 1}, 1)):
        memory = Asked()
        sent(pruner(memory, **cache), 1, 0.0)
        assert memory.asks == asks, cache
