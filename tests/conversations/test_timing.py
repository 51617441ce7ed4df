"""The state that a schedule gets for a request, and the record of its decision."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pytest

from prunus import Outcome, Pruner, Settings
from prunus.conversations.conversation import Conversation
from prunus.conversations.timing import Timing
from prunus.edits import Edit
from prunus.schedule.cache import Cache
from prunus.schedule.ledger import Flush
from prunus.schedule.plan import Eager, OnRequest, Plan, Presses, RequestState, Schedule
from prunus.schedule.pressure import Pressure
from prunus.schedule.prices import Price
from tests.generate.encode import encode
from tests.strategies.fillers import filler

PRICE = Price(0.1, 1.25, 300, 0)
LOG = filler(60, "lines")
BRIEF, DETAILED = (f"Be {how}. {filler(200, 'lines')}" for how in ("brief", "detailed"))
"""Longer than the shortest prefix that is cached, so that a request without its results still is."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A schedule that cuts where it is told to, and keeps what it was told."""

    name: ClassVar[str] = "noted"
    presses: ClassVar[Presses] = "lasting"

    cut: int
    told: list[RequestState] = field(default_factory=list)
    risky: int = 0
    """The message from which on a file's text may go that may be used again."""

    def takes(self, edit: Edit, price: Price, requests: int) -> bool:
        return True

    def first_risky(self, moment: RequestState) -> int:
        return self.risky

    def plan(self, moment: RequestState) -> Plan:
        self.told.append(moment)
        return Plan(self.cut, "because")


def step(number: int, given: dict[str, str], answer: str, tool: str = "Bash") -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"call_{number}", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": answer}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def request(count: int, **around: Any) -> dict[str, Any]:
    """A conversation in which the same command runs again and again; message 2 holds the first answer."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Make it green."}]
    for number in range(count):
        messages += step(number, {"command": "make check"}, f"run {number}\n{LOG}")
    return {"model": "claude-opus-5", "system": BRIEF, "messages": messages, **around}


def pruner(schedule: str = "cache", **values: Any) -> Pruner:
    return Pruner(
        Settings(preset="off", strategies={"duplicate_calls": {"enabled": True}}, schedule=schedule, **values)
    )


def sent(one: Pruner, count: int, now: float = 0.0, **around: Any) -> Outcome:
    outcome = one.prune(encode(request(count, **around)), now)
    assert outcome.error is None
    return outcome


def conversation_of(one: Pruner) -> Conversation:
    assert len(one._conversations) == 1
    return one._conversations[0]


def flushes(one: Pruner) -> tuple[Flush, ...]:
    return conversation_of(one).memo.ledger.flushes


def waiting(count: int = 3) -> Conversation:
    """A conversation with edits pending in messages 2, 4, ...: all results but the last."""
    one = pruner("manual")
    sent(one, count - 1)
    sent(one, count)
    known = conversation_of(one)
    assert known.engine.pending.gains
    return known


def timing(
    known: Conversation, schedule: Schedule, *, price: Price = PRICE, now: float = 0.0, cold: str = ""
) -> Timing:
    of_engine = known.engine, known.memo, known.around_tokens
    return Timing(*of_engine, schedule, Pressure(), price, 200_000, now, cold, price.ttl, known.memo.depth)


def told(known: Conversation, **more: Any) -> RequestState:
    noted = Noted(1 << 62)
    timing(known, noted, **more).cut()
    return noted.told[0]


def test_a_schedule_knows_what_each_message_could_lose_oldest_first() -> None:
    known = waiting(4)
    moment = told(known)
    assert [message for message, _ in moment.pending] == [2, 4, 6]
    assert [gain for _, gain in moment.pending] == [
        cell.wanted.saved for _, cell in sorted(known.engine.board) if cell.wanted
    ]


def test_edits_of_one_message_are_one_entry() -> None:
    one = pruner("manual")
    both = [
        block
        for number in (0, 1)
        for block in step(number, {"command": f"make {number}"}, f"{number}\n{LOG}")[0]["content"]
    ]
    answers = [block for number in (0, 1) for block in step(number, {}, f"{number}\n{LOG}")[1]["content"]]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for _ in range(2):
        messages += [{"role": "assistant", "content": both}, {"role": "user", "content": answers}]
    assert one.prune(encode({"messages": messages}), 0.0, format="anthropic_messages").error is None
    known = conversation_of(one)
    assert len(known.engine.pending.gains) == 2
    assert told(known).pending == [(2, sum(known.engine.pending.gains.values()))]


def test_a_schedule_knows_how_much_is_cached_behind_a_cut() -> None:
    known = waiting(3)
    moment = told(known)
    assert moment.sent == len(known.digests) == 7
    assert moment.tail(0) == known.engine.view.tokens
    assert moment.tail(2) > moment.tail(4) > moment.tail(6) > moment.tail(7) == 0


def test_a_schedule_knows_the_tokens_of_the_whole_request() -> None:
    known = waiting(3)
    assert told(known).tokens == known.around_tokens + known.engine.view.tokens > known.engine.view.tokens


def test_a_made_edit_is_no_longer_pending() -> None:
    known = waiting(3)
    before = told(known)
    gain = dict(before.pending)[4]
    around, behind = before.tail(3), before.tail(5)
    known.engine.pending.flush(4)
    after = told(known)
    assert after.pending == [pair for pair in before.pending if pair[0] != 4]
    assert after.tokens == before.tokens - gain
    assert (after.tail(3), after.tail(5)) == (around - gain, behind)


def test_a_schedule_knows_price_window_and_requests() -> None:
    moment = told(waiting())
    assert (moment.price, moment.window, moment.requests) == (PRICE, 200_000, 2)


@pytest.mark.parametrize(("idle", "cold"), [(300.0, ""), (301.0, "idle for 301 seconds")])
def test_a_cache_is_cold_once_it_was_idle_for_longer_than_it_lives(idle: float, cold: str) -> None:
    assert told(waiting(), now=idle).cold == cold


def test_a_longer_lifetime_keeps_the_cache_warm() -> None:
    assert told(waiting(), now=900.0, price=Price(0.1, 1.25, 1800, 0)).cold == ""


def test_another_reason_for_a_cold_cache_is_passed_on() -> None:
    assert told(waiting(), cold="model changed").cold == "model changed"


def test_a_first_request_is_not_called_cold() -> None:
    one = pruner()
    sent(one, 3, now=1_000_000.0)
    assert flushes(one) == ()


def test_without_pending_edits_the_schedule_is_not_called() -> None:
    one = pruner("manual")
    sent(one, 1)
    noted = Noted(0)
    assert timing(conversation_of(one), noted).cut() == 0
    assert noted.told == []


def test_a_flush_is_written_down_with_its_price() -> None:
    known = waiting(4)
    moment = told(known)
    gains = dict(moment.pending)
    asked = timing(known, Noted(3), now=7.0)
    assert asked.cut() == 3
    rewritten = moment.tail(4) - gains[4] - gains[6]
    assert asked.flush == Flush(3, 7.0, 4, "because", gains[4] + gains[6], rewritten)
    assert asked.flushes == (asked.flush,)


def test_tokens_cut_from_new_messages_were_not_cached_and_are_not_written_again() -> None:
    known = waiting(4)
    known.memo = replace(known.memo, depth=5)
    moment = told(known)
    gains = dict(moment.pending)
    assert moment.sent == 5 and list(gains) == [2, 4, 6]
    asked = timing(known, Noted(3))
    asked.cut()
    assert asked.flush is not None
    assert asked.flush.rewritten == moment.tail(4) - gains[4] > 0


def test_the_cut_that_is_written_down_is_the_first_message_that_changes() -> None:
    known = waiting(4)
    asked = timing(known, Eager())
    asked.cut()
    assert asked.flush is not None
    assert asked.flush.cut == 2


def test_a_plan_that_changes_nothing_that_was_sent_is_no_flush() -> None:
    known = waiting(4)
    for schedule in (OnRequest(), Noted(len(known.digests)), Noted(7)):
        asked = timing(known, schedule)
        asked.cut()
        assert asked.flush is None


def test_only_the_newest_flushes_are_remembered() -> None:
    known = waiting(3)
    for second in range(250):
        asked = timing(known, Eager(), now=float(second))
        asked.cut()
        known.memo = replace(known.memo, ledger=replace(known.memo.ledger, flushes=asked.flushes))
    assert len(known.memo.ledger.flushes) == 200
    assert known.memo.ledger.flushes[-1].time == 249.0


def test_the_first_request_is_pruned_as_a_whole_and_breaks_nothing() -> None:
    one = pruner()
    assert len(sent(one, 4).edits) == 3
    assert flushes(one) == ()


def test_edits_wait_while_the_cache_is_warm_and_are_made_when_it_is_cold() -> None:
    one = pruner(schedules={"cache": {"patience": 1e9}})
    sent(one, 2, now=0.0)
    assert len(sent(one, 3, now=10.0).edits) == 1
    assert len(sent(one, 4, now=20.0).edits) == 1
    assert len(sent(one, 5, now=1000.0).edits) == 4
    assert [(flush.request, flush.cut, flush.reason) for flush in flushes(one)] == [(4, 4, "idle for 980 seconds")]


@pytest.mark.parametrize(
    "around",
    [{"model": "claude-opus-4-8"}, {"system": DETAILED}, {"tools": [{"name": "Read"}]}],
    ids=["model", "system", "tools"],
)
def test_another_model_system_text_or_tool_makes_the_cache_cold(around: dict[str, Any]) -> None:
    one = pruner(schedules={"cache": {"patience": 1e9}})
    sent(one, 2)
    assert len(sent(one, 3).edits) == 1
    assert len(sent(one, 4, **around).edits) == 3
    assert flushes(one)[-1].reason == "model, system text or tools changed"
    assert len(sent(one, 5, **around).edits) == 3


@pytest.mark.parametrize("around", [{"metadata": {"n": 1}}, {"max_tokens": 9}, {"stream": True}], ids=str)
def test_other_options_leave_the_cache_warm(around: dict[str, Any]) -> None:
    one = pruner(schedules={"cache": {"patience": 1e9}})
    sent(one, 2)
    assert len(sent(one, 3, **around).edits) == 1


def test_a_cache_marker_on_the_system_text_leaves_the_cache_warm() -> None:
    one = pruner(schedules={"cache": {"patience": 1e9}})
    system = {"type": "text", "text": BRIEF}
    sent(one, 2, system=[system])
    marker = {"type": "ephemeral"}
    assert len(sent(one, 3, system=[{**system, "cache_control": marker}]).edits) == 1


def test_the_same_request_as_an_object_leaves_the_cache_warm() -> None:
    one = pruner(schedules={"cache": {"patience": 1e9}})
    sent(one, 2)
    assert len(one.prune(request(3), 0.0).edits) == 1


def test_a_cache_that_was_asked_to_live_for_an_hour_is_warm_after_ten_minutes() -> None:
    one = pruner(schedules={"cache": {"patience": 1e9}})
    marker = {"type": "ephemeral", "ttl": "1h"}
    system = [{"type": "text", "text": BRIEF, "cache_control": marker}]
    sent(one, 2, now=0.0, system=system)
    assert len(sent(one, 3, now=600.0, system=system).edits) == 1


@pytest.mark.parametrize(("ttl", "write", "life"), [("1h", 2.0, 3600.0), ("5m", 1.25, 300.0), (None, 1.25, 300.0)])
def test_the_schedule_knows_the_price_of_writes_that_live_for_an_hour(
    ttl: str | None, write: float, life: float
) -> None:
    one, noted = pruner("manual"), Noted(1 << 62)
    one._schedule = noted
    marker = {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}
    for count in (2, 3):
        sent(one, count, system=[{"type": "text", "text": BRIEF, "cache_control": marker}])
    assert (noted.told[-1].price.write, noted.told[-1].price.ttl) == (write, life)


def test_a_request_that_is_sent_again_stays_as_it_was() -> None:
    one = pruner()
    sent(one, 2)
    first = sent(one, 3)
    assert sent(one, 3).body == first.body


def test_the_price_of_the_model_decides() -> None:
    """The same history is flushed sooner where reading the cache is dear."""
    edits = {}
    for read, write in ((0.025, 1.25), (0.5, 1.0)):
        one = pruner(prices=[{"model": "claude*", "read": read, "write": write}])
        for count in range(1, 12):
            edits[read] = len(sent(one, count).edits)
    assert edits[0.025] < edits[0.5]


def test_the_window_of_the_settings_is_the_one_that_counts() -> None:
    calm, tight = (pruner(schedules={"cache": {"patience": 1e9}}, window=w) for w in (200_000, 2_500))
    for count in (2, 3):
        left = [len(sent(one, count).edits) for one in (calm, tight)]
    assert left == [1, 2]
    assert flushes(tight)[-1].reason.startswith("the context is")


def paid(*sizes: int) -> float:
    """What requests cost that grow to these sizes."""
    before = (0, *sizes)
    return sum(0.1 * old + 1.25 * (new - old) for old, new in zip(before, sizes, strict=False))


def test_a_schedule_knows_the_cost_without_pruning() -> None:
    one = pruner("manual", prices=[{"model": "*", "read": 0.1, "write": 1.25, "ttl": 300}])
    sizes = [sent(one, count).report.tokens_before for count in (1, 2, 3)]
    moment = told(conversation_of(one))
    # The moment is that of one more request with the same messages.
    assert moment.paid == pytest.approx(paid(*sizes) + 0.1 * sizes[-1])
    assert moment.earned == pytest.approx(0.0)


def test_a_history_that_is_seen_for_the_first_time_was_not_paid_for_before() -> None:
    one = pruner("manual")
    size = sent(one, 9).report.tokens_before
    assert conversation_of(one).memo.account.whole == pytest.approx(1.25 * size)


def test_tokens_cut_before_the_first_send_were_never_paid_for() -> None:
    whole, pruned = (
        pruner(how, prices=[{"model": "*", "read": 0.1, "write": 1.25}]) for how in ("manual", "eager")
    )
    for one in (whole, pruned):
        sent(one, 9)
    account = conversation_of(pruned).memo.account
    assert account.whole == pytest.approx(conversation_of(whole).memo.account.paid)
    assert (
        account.earned == pytest.approx(1.25 * conversation_of(pruned).engine.made.tallies.saved)
        and account.earned > 0
    )


def test_the_cost_of_a_break_is_subtracted_from_the_savings() -> None:
    one = pruner("eager", prices=[{"model": "*", "read": 0.1, "write": 1.25}])
    for count in (1, 2, 3):
        sent(one, count)
    known = conversation_of(one)
    earned = sum(0.1 * flush.saved * (4 - flush.request) - 1.15 * flush.rewritten for flush in flushes(one))
    assert len(flushes(one)) == 2
    assert known.memo.account.earned == pytest.approx(earned)


def test_a_cold_cache_is_written_again_with_or_without_pruning() -> None:
    one = pruner("manual", prices=[{"model": "*", "read": 0.1, "write": 1.25, "ttl": 300}])
    size = sent(one, 3).report.tokens_before
    sent(one, 3, now=1000.0)
    assert conversation_of(one).memo.account.whole == pytest.approx(2 * 1.25 * size)


def test_a_schedule_knows_how_fast_edits_come() -> None:
    known = waiting(4)
    made = (Flush(2, 0.0, 2, "", saved=500, rewritten=100), Flush(3, 0.0, 2, "", saved=70, rewritten=0))
    known.memo = replace(known.memo, ledger=replace(known.memo.ledger, flushes=made), requests=4)
    assert told(known).growth == (570 + sum(known.engine.pending.gains.values())) / 4


def test_a_schedule_from_the_settings_is_the_one_that_is_asked() -> None:
    assert Settings(schedule="cache", schedules={"cache": {"patience": 7}}).active_schedule() == Cache(patience=7)


FINISHED: dict[str, Any] = {"finished_results": {"enabled": True, "idle": 1}}


def worked_on(count: int) -> dict[str, Any]:
    """Files that are read and edited at once, one after the other; messages 2, 6, ... hold the reads."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Rename it everywhere."}]
    for number in range(count):
        path = f"/src/module_{number}.py"
        change = {"file_path": path, "old_string": "line 7", "new_string": "line seven"}
        messages += step(2 * number, {"file_path": path}, f"{number}\n{LOG}", "Read")
        messages += step(2 * number + 1, change, "The file has been updated.", "Edit")
    return {"model": "claude-opus-5", "system": BRIEF, "messages": messages}


@pytest.mark.parametrize(("risky", "cut"), [(0, {2, 6, 10}), (3, {6, 10}), (6, {6, 10}), (7, {10})])
def test_text_of_files_that_may_be_used_again_waits_before_the_place_that_the_schedule_names(
    risky: int, cut: set[int]
) -> None:
    one = Pruner(Settings(preset="off", strategies=FINISHED), schedule=Noted(0, risky=risky))
    for count in range(1, 5):
        edits = one.prune(encode(worked_on(count)), 0.0).edits
    assert {edit.target.message for edit in edits} == cut


@pytest.mark.parametrize("strategies", [FINISHED, {"duplicate_calls": {"enabled": True}}])
def test_other_text_does_not_wait_there(strategies: dict[str, Any]) -> None:
    one = Pruner(Settings(preset="off", strategies=strategies), schedule=Noted(0, risky=100))
    edits = [sent(one, count).edits for count in range(1, 6)][-1]
    assert {2, 4} <= {edit.target.message for edit in edits}
