"""Edits that may turn out to be wrong wait until they are worth that risk, or the context runs short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from prunus import Outcome, Pruner, Settings
from prunus.edits import Edit
from prunus.explain import explain
from prunus.schedule.cache import Cache
from tests.conversations.test_memory import Shelf
from tests.generate.encode import encode
from tests.strategies.fillers import filler

SYSTEM: Final = filler(300, "lines")
LOG: Final = filler(100, "lines")
PRICE: Final = {"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}
NEVER: Final = 1e9
RISKY: Final = {"finished_results": {"enabled": True}}
"""The output of a command is done with two turns later, and may be looked at again in 5 of 100 cases."""
CERTAIN: Final = {"old_errors": {"enabled": True, "turns": 1}}
"""The second command of each conversation fails."""


def request(count: int) -> dict[str, Any]:
    """So many commands have run; the output of number n is message 2n + 2, of some 600 tokens."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Run it."}]
    for n in range(count):
        failed = n == 1
        text = f"Error: no rule {n}\n{LOG}" if failed else f"run {n}\n{LOG}"
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"make {n}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text, "is_error": failed}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return {"model": "some-model", "system": SYSTEM, "messages": messages}


def settings(care: float, strategies: dict[str, Any] = RISKY, **more: Any) -> Settings:
    cache = {"care": care, "patience": 0.1, "stake": 1.0}
    return Settings(preset="off", strategies=strategies, schedules={"cache": cache}, prices=[PRICE], **more)


def sent(pruner: Pruner, count: int, now: float = 0.0) -> Outcome:
    outcome = pruner.prune(encode(request(count)), now)
    assert outcome.error is None
    assert {receipt.edit for receipt in outcome.receipts} <= set(outcome.edits)
    return outcome


def targets(edits: Sequence[Edit]) -> list[int]:
    return [edit.target.message for edit in edits]


def test_an_edit_that_is_not_worth_the_risk_waits_and_declares_no_flush() -> None:
    careless, careful = Pruner(settings(0.0)), Pruner(settings(NEVER))
    for count in range(1, 9):
        made, held = sent(careless, count, float(count)), sent(careful, count, float(count))
        assert held.edits == () and held.flush is None and held.receipts == ()
        assert held.body == encode(request(count))
    assert targets(made.edits) == [2, 6, 8, 10]
    engine = careful._conversations[-1].engine
    assert sorted(ref.message for ref in engine.pending.gains) == [2, 6, 8, 10]
    assert engine.pending.waiting() == []
    assert engine.pending.flushed(0, len(engine.made.sizes)) == 0


@pytest.mark.parametrize("cold", ["a pause", "other tools"])
def test_a_lost_cache_does_not_make_a_risky_edit_worth_the_risk(cold: str) -> None:
    pruner = Pruner(settings(NEVER))
    for count in range(1, 9):
        sent(pruner, count)
    body = {**request(9), **({"tools": [{"name": "other"}]} if cold == "other tools" else {})}
    outcome = pruner.prune(encode(body), 10_000.0 if cold == "a pause" else 1.0)
    assert outcome.error is None and outcome.edits == () and outcome.flush is None


def test_an_edit_without_risk_does_not_wait_for_risky_ones() -> None:
    pruner = Pruner(settings(NEVER, {**RISKY, **CERTAIN}))
    outcomes = [sent(pruner, count, float(count)) for count in range(1, 9)]
    assert targets(outcomes[-1].edits) == [4]
    assert {edit.strategy for edit in outcomes[-1].edits} == {"old_errors"}
    [flush] = [outcome.flush for outcome in outcomes if outcome.flush is not None]
    assert (flush.cut, flush.saved) == (4, outcomes[-1].edits[0].saved)
    assert outcomes[-1].report.saved == outcomes[-1].edits[0].saved


class Ending(Cache):
    """A schedule that expects no request behind the sixth, and many behind each later one."""

    def to_come(self, requests: int) -> int:
        return max(0, 5 - requests) if requests < 6 else 40


def test_a_risky_edit_is_made_once_it_is_worth_the_risk() -> None:
    pruner = Pruner(settings(8.0), schedule=Ending(care=8.0, patience=0.1, stake=1.0))
    early = [sent(pruner, count, float(count)) for count in range(1, 7)]
    assert [outcome.edits for outcome in early] == [()] * 6
    assert pruner._conversations[-1].engine.pending.gains
    late = sent(pruner, 7, 7.0)
    assert targets(late.edits) == [2, 6, 8]
    assert late.flush is not None and late.flush.saved == sum(edit.saved for edit in late.edits)
    assert [receipt.original for receipt in late.receipts] == [f"run {n}\n{LOG}" for n in (0, 2, 3)]


@pytest.mark.parametrize("share", [0.8, pytest.param(0.95, id="critical")])
def test_a_risky_edit_is_made_when_the_context_runs_short(share: float) -> None:
    pruner = Pruner(settings(NEVER))
    for count in range(1, 9):
        before = sent(pruner, count)
    full = before.report.tokens_after
    pruner = Pruner(settings(NEVER, window=round((full + 600) / share)))
    # The first look at a history makes all that is free, so the conversation grows into it.
    outcomes = [sent(pruner, count) for count in range(1, 10)]
    assert outcomes[4].edits == ()
    last = next(outcome for outcome in outcomes if outcome.edits)
    assert last.flush is not None and "% full" in last.flush.reason
    assert 2 in targets(last.edits)


def filled(pruner: Pruner, share: float) -> Outcome:
    """A context that grew up to this share of its window."""
    window = pruner.settings.window_of("some-model")
    grown = (sent(pruner, count) for count in range(1, 40))
    return next(outcome for outcome in grown if outcome.report.tokens_before >= share * window)


def test_held_edits_count_as_tokens_that_could_be_freed() -> None:
    """No single new edit frees enough to be worth a flush, but those that wait would."""
    assert filled(Pruner(settings(NEVER, window=16_000)), 0.8).edits


def test_another_process_holds_the_same_edits() -> None:
    shelf, steady = Shelf(), Pruner(settings(NEVER, window=12_000))
    for count in range(1, 21):
        pruner = Pruner(settings(NEVER, window=12_000), shelf)
        assert sent(pruner, count).body == sent(steady, count).body


def test_other_schedules_hold_nothing() -> None:
    chosen = Settings(preset="off", schedule="eager", strategies=RISKY, schedules={"cache": {"care": NEVER}})
    pruner = Pruner(chosen)
    assert targets([sent(pruner, count) for count in range(1, 9)][-1].edits) == [2, 6, 8, 10]


def test_a_held_edit_can_be_explained_and_requested() -> None:
    body = encode(request(8))
    parts = explain(body, settings(NEVER))
    risky = [part for part in parts if part.edit is not None and part.edit.reuse]
    assert [part.ref.message for part in risky] == [2, 6, 8, 10]
    pruner = Pruner(settings(NEVER, {**RISKY, "asked": {"enabled": True}}), asks=lambda _: ("sweep 2",))
    outcome = sent(pruner, 8)
    assert outcome.edits and {edit.strategy for edit in outcome.edits} == {"asked"}
