"""New conversations learn from the parts that earlier ones asked for again."""

from __future__ import annotations

import json
from math import exp, log
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.errors import FormatError
from prunus.reuse.asked_again import Experience, Tried
from prunus.reuse.learning import LOOKS, TIMES, Learned, asked_rate, learn
from tests.conversations.test_memory import Shelf

ALLOWED = 4.0
OFTEN = Experience(10_000, {("past_tasks", "read"): Tried(200, 10.0, 60), ("past_tasks", "shell"): Tried(9, 0.1)})


def test_nothing_is_learned_from_nothing() -> None:
    assert learn(Experience(), ALLOWED) == Learned()


def test_a_kind_that_is_asked_for_more_often_than_expected_gets_an_offset() -> None:
    learned = learn(OFTEN, ALLOWED)
    mean = (LOOKS * 0.05 + 60) / (LOOKS + 200)
    assert learned.offsets == {"read": pytest.approx(log(mean / (1 - mean)) - log(0.05 / 0.95), abs=0.01)}
    assert learned.stepped_back == ()


def test_a_few_requests_for_cut_parts_change_the_estimate_little() -> None:
    few = learn(Experience(10_000, {("past_tasks", "read"): Tried(4, 0.2, 2)}), ALLOWED)
    assert 0 < few.offsets["read"] < 0.2 < learn(OFTEN, ALLOWED).offsets["read"]


def test_parts_that_are_never_asked_for_again_do_not_lead_to_more_cuts() -> None:
    assert learn(Experience(10_000, {("past_tasks", "read"): Tried(2_000, 100.0, 0)}), ALLOWED) == Learned()


def test_cuts_without_a_probability_move_no_offset() -> None:
    assert not learn(Experience(100_000, {("long_outputs", "shell"): Tried(100, 0.0, 90)}), ALLOWED).offsets


def test_a_strategy_steps_back_at_three_times_what_is_allowed() -> None:
    requests = 9_800
    edge = round(TIMES * ALLOWED * (requests + LOOKS) / 1_000 - LOOKS * ALLOWED / 1_000 + 0.5)
    for asked, back in ((edge, ("old_results",)), (edge - 1, ())):
        tried = {("old_results", "read"): Tried(500, 0.0, asked - 5), ("old_results", "shell"): Tried(50, 0.0, 5)}
        assert learn(Experience(requests, tried), ALLOWED).stepped_back == back


def test_a_level_that_allows_more_lets_a_strategy_go_on() -> None:
    much = Experience(1_000, {("old_results", "read"): Tried(500, 0.0, 20)})
    assert learn(much, 4.0).stepped_back == ("old_results",)
    assert learn(much, 10.0).stepped_back == ()


def test_a_single_ask_of_a_rare_agent_makes_no_strategy_step_back() -> None:
    assert learn(Experience(1, {("old_results", "read"): Tried(1, 0.0, 1)}), ALLOWED).stepped_back == ()
    assert asked_rate(Tried(), 0, ALLOWED) == pytest.approx(ALLOWED)


def test_parts_that_the_agent_pruned_do_not_count_against_a_strategy() -> None:
    assert learn(Experience(1_000, {("asked", "read"): Tried(500, 0.0, 400)}), ALLOWED) == Learned()


def test_learned_offsets_survive_a_round_trip() -> None:
    for learned in (Learned(), Learned({"read": 1.25}, ("old_results",))):
        assert Learned.load(learned.dump()) == learned
    assert Learned().dump() == b""
    with pytest.raises(FormatError):
        Learned.load(b"{")


def talk(turns: int, first: str) -> list[dict[str, Any]]:
    """Reads of one task, then another task with many small steps."""
    made: list[dict[str, Any]] = [{"role": "user", "content": first}]
    grown = []
    for n in range(turns):
        rows = "\n".join(f"{line}\tdef part_{n}_{line}(): pass" for line in range(1, 120)) if n < 4 else "ok"
        call = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": f"/src/f{n}.py"}}
        made = [
            *made,
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": rows}]},
        ]
        if n == 4:
            made = [*made, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "Now the rest."}]
        grown.append({"model": "claude-sonnet-4-5", "messages": made})
    return grown


def strategies(pruner: Pruner, first: str, **more: Any) -> set[str]:
    """The strategies that cut something in a conversation."""
    found: set[str] = set()
    for n, body in enumerate(talk(20, first)):
        outcome = pruner.prune(json.dumps(body).encode(), float(n), **more)
        assert outcome.error is None
        found |= outcome.report.strategies.keys()
    return found


SETTINGS = {"schedule": "eager", "strategies": {"past_tasks": {"risk": 0.08}}}


def test_an_offset_keeps_parts_that_are_likely_to_be_asked_for() -> None:
    shelf = Shelf()
    pruner = Pruner(Settings(**SETTINGS), shelf)
    assert "past_tasks" in strategies(pruner, "One.", client="claude")
    shelf.known["claude"] = Experience(100_000, {("past_tasks", "read"): Tried(2_000, 20.0, 400)})
    assert "past_tasks" not in strategies(pruner, "Two.", client="claude")
    assert "past_tasks" in strategies(pruner, "Three.", client="another")


def test_a_strategy_that_stepped_back_cuts_nothing_in_new_conversations() -> None:
    shelf = Shelf()
    bad = Experience(1_000, {("past_tasks", "other"): Tried(500, 0.0, 50)})
    pruner = Pruner(Settings(**SETTINGS), shelf)
    requests = talk(20, "One.")
    for body in requests[:3]:
        pruner.prune(body, client="claude")
    shelf.known["claude"] = bad
    said = [pruner.prune(body, client="claude").report for body in requests[3:]]
    assert "past_tasks" in said[-1].strategies and said[-1].stepped_back == ()
    assert "past_tasks" not in strategies(pruner, "Two.", client="claude")
    assert pruner.prune(talk(1, "Two.")[0], client="claude").report.stepped_back == ("past_tasks",)


def test_learning_can_be_switched_off() -> None:
    shelf = Shelf()
    shelf.known["claude"] = Experience(1_000, {("past_tasks", "other"): Tried(500, 0.0, 50)})
    pruner = Pruner(Settings(**SETTINGS, learn=False), shelf)
    assert "past_tasks" in strategies(pruner, "One.", client="claude")


def test_a_fork_keeps_what_its_conversation_learned() -> None:
    shelf = Shelf()
    shelf.known["claude"] = Experience(1_000, {("past_tasks", "other"): Tried(500, 0.0, 50)})
    pruner = Pruner(Settings(**SETTINGS), shelf)
    requests = talk(20, "One.")
    for body in requests[:12]:
        pruner.prune(body, client="claude")
    shelf.known.clear()
    fork = {**requests[5], "messages": [*requests[5]["messages"], {"role": "user", "content": "Another way."}]}
    outcome = pruner.prune(fork, client="claude")
    assert outcome.report.stepped_back == ("past_tasks",)


def test_the_offset_is_in_log_odds() -> None:
    from prunus.reuse.likelihood import reuse_probability

    plain, more = (reuse_probability("read", 500, 4, 1, offset=offset) for offset in (0.0, 1.0))
    assert more / (1 - more) == pytest.approx(exp(1) * plain / (1 - plain))
