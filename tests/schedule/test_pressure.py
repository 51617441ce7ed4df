"""How full the context is: levels at their borders, what then may go, and the triggers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from prunus.schedule.pressure import DEPTH, Level, Pressure
from prunus.schedule.priorities import PRIORITIES

WINDOW = 100_000


@pytest.mark.parametrize(
    ("tokens", "level"),
    [
        (0, "light"),
        (49_999, "light"),
        (50_000, "moderate"),
        (74_999, "moderate"),
        (75_000, "high"),
        (89_999, "high"),
        (90_000, "critical"),
        (250_000, "critical"),
    ],
)
def test_the_levels_begin_at_half_three_quarters_and_nine_tenths(tokens: int, level: Level) -> None:
    assert Pressure().level(tokens, WINDOW) == level


@pytest.mark.parametrize(("share", "level"), [("moderate", "moderate"), ("high", "high"), ("critical", "critical")])
def test_each_border_can_be_set(share: str, level: Level) -> None:
    raised = {"moderate": 0.6, "high": 0.8, "critical": 0.95}
    pressure = Pressure(**raised)
    border = round(raised[share] * WINDOW)
    assert pressure.level(border, WINDOW) == level
    assert pressure.level(border - 1, WINDOW) != level


def test_each_level_lets_one_priority_more_go_and_critical_parts_never_go() -> None:
    allowed = list(DEPTH.values())
    priorities = [set(depth) & set(PRIORITIES) for depth in allowed]
    assert [len(depth) for depth in priorities] == [0, 1, 2, 3]
    assert all(set(one) < set(other) for one, other in pairwise(allowed))
    assert DEPTH["critical"] == ("temporary", "disposable", "ephemeral", "important")
    assert set(PRIORITIES) - set(DEPTH["critical"]) == {"critical"}


@pytest.mark.parametrize(("tokens", "reason"), [(74_999, ""), (75_000, "the context is 75% full")])
def test_from_high_on_edits_are_made_whatever_they_cost(tokens: int, reason: str) -> None:
    assert Pressure().reason(tokens, WINDOW) == reason


@pytest.mark.parametrize(
    ("fields", "counts", "reason"),
    [
        ({"historical": 80_000}, {"historical": 80_000}, ""),
        ({"historical": 80_000}, {"historical": 80_001}, "80,001 tokens of historical context"),
        ({"aggressive": 90_000}, {"historical": 90_001}, "90,001 tokens of historical context"),
        ({"thinking": 20_000}, {"thinking": 20_000}, ""),
        ({"thinking": 20_000}, {"thinking": 20_001}, "20,001 tokens of reasoning"),
        ({}, {"historical": 1_000_000, "thinking": 1_000_000}, ""),
    ],
)
def test_a_trigger_raises_the_pressure_once_its_limit_is_passed(fields: Any, counts: Any, reason: str) -> None:
    pressure = Pressure(**fields)
    assert pressure.reason(10, WINDOW, **counts) == reason
    assert pressure.triggered is bool(fields)


@pytest.mark.parametrize(("historical", "level"), [(90_000, "light"), (90_001, "high")])
def test_much_historical_context_makes_the_level_high(historical: int, level: Level) -> None:
    assert Pressure(aggressive=90_000).level(10, WINDOW, historical) == level
    assert Pressure(historical=90_000).level(10, WINDOW, historical) == "light"


def test_a_window_that_is_nearly_full_stays_critical_whatever_the_triggers_say() -> None:
    assert Pressure(aggressive=1).level(95_000, WINDOW, 2) == "critical"
