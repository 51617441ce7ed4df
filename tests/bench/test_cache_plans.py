"""What the life of the cache costs in a recorded conversation with pauses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bench.cache_plans import CachePlan, LifeCost, has_times, life_cost, pauses
from prunus.clients.sessions import Session
from prunus.lab.cost import cost
from prunus.lab.policy import Unpruned
from prunus.lab.replay import Replay, replay
from prunus.schedule.prices import NAMED_ROWS, with_ttl
from tests.lab.talk import anthropic, reads, session

PRICE = replace(NAMED_ROWS["0.1/1.25"], long_write=2.0)
TEXT = "".join(f"Line {n} of a long answer.\n" for n in range(400))


def talk(*gaps: float, ends: bool = True) -> Session:
    """A user who asks a question after each of these pauses, and gets an answer at once."""
    messages: list[dict[str, Any]] = []
    times = [1000.0]
    for number in range(len(gaps) + 1):
        messages.append({"role": "user", "content": f"Question {number}. {TEXT}"})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": f"Answer {number}."}]})
    for gap in gaps:
        times.append(times[-1] + gap)
    messages = messages if ends else messages[:-1]
    return session("anthropic_messages", messages, range(1, 2 * len(gaps) + 2, 2), times)


def lived(talked: Session, plan: CachePlan, preset: str = "off") -> LifeCost:
    return life_cost(talked, plan, plan.pruner(preset, PRICE), PRICE)


def sent(talked: Session) -> Replay:
    return replay(talked, Unpruned())


def test_as_sent_costs_what_the_lab_says() -> None:
    talked = talk(60.0, 400.0, 4000.0)
    found, expected = lived(talked, CachePlan()), cost(sent(talked), PRICE)
    assert found.cost == pytest.approx(expected.cost)
    assert found.cold == expected.cold == 2
    assert (found.keep_alives, found.hours) == (0, 0)


def test_an_hour_costs_what_the_lab_says_at_its_price() -> None:
    talked = talk(60.0, 400.0, 4000.0)
    found, expected = lived(talked, CachePlan("1h")), cost(sent(talked), with_ttl(PRICE, "1h"))
    assert found.cost == pytest.approx(expected.cost)
    assert (found.cold, found.hours) == (1, 4)


def test_auto_turns_to_the_hour_after_pauses_that_would_have_paid() -> None:
    talked = talk(*[600.0] * 8)
    found = lived(talked, CachePlan("auto"))
    assert 0 < found.hours < 9
    assert found.cost < lived(talked, CachePlan()).cost


def test_keep_alive_requests_cost_a_read_each_and_bridge_a_pause() -> None:
    talked = talk(400.0, 400.0, ends=False)
    always = lived(talked, CachePlan(keep_alive=1, always=True))
    first, second, _ = (one.tokens for one in sent(talked).requests)
    assert (always.keep_alives, always.cold) == (2, 0)
    assert always.cost_of_keep_alives == pytest.approx(0.1 * (first + second))
    warm = cost(sent(talk(1.0, 1.0)), PRICE).cost
    assert always.cost == pytest.approx(warm + always.cost_of_keep_alives)


def test_keep_alive_requests_wait_until_they_would_have_paid() -> None:
    found = lived(talk(400.0, 400.0, ends=False), CachePlan(keep_alive=1))
    assert (found.keep_alives, found.cold) == (1, 1)


def test_the_last_keep_alive_requests_are_for_nothing() -> None:
    plan = CachePlan(keep_alive=3, always=True)
    ended, open_end = lived(talk(400.0), plan), lived(talk(400.0, ends=False), plan)
    assert (ended.keep_alives, open_end.keep_alives) == (4, 1)
    assert ended.cost > open_end.cost


def test_a_pause_after_a_tool_call_is_not_bridged() -> None:
    called = anthropic(reads(3, lines=200), times=[0.0, 400.0, 800.0, 1200.0])
    found = lived(called, CachePlan(keep_alive=3, always=True))
    assert (found.keep_alives, found.cold) == (0, 3)
    assert lived(called, CachePlan("1h")).cold == 0


def test_pauses_tell_whether_the_user_has_spoken() -> None:
    assert pauses(talk(60.0, 400.0)) == [(60.0, True), (400.0, True)]
    assert pauses(anthropic(reads(1), times=[0.0, 7.0])) == [(7.0, False)]


def test_a_recording_without_times_says_so() -> None:
    assert has_times(talk(1.0))
    assert not has_times(anthropic(reads(1)))
