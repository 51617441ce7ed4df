"""What was spent and saved by day and the like; `tests/cli/test_stats.py` shows the tables themselves."""

from __future__ import annotations

from datetime import date

import pytest

from prunus.errors import SettingsError
from prunus.report.spending import period_table, periods, since_day
from prunus.schedule.dollars import Money
from prunus.spending import DayTotals

TODAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2026-11-16"),
        ("1d", "2026-11-16"),
        ("7d", "2026-11-10"),
        ("2w", "2026-11-03"),
        ("1m", "2026-10-18"),
    ],
)
def test_a_time_span_ends_today(text: str, day: str) -> None:
    assert since_day(text, TODAY) == day


@pytest.mark.parametrize("text", ["yesterday", "7", "7y", "2026-13-01", "-3d", "0d"])
def test_another_word_is_an_error(text: str) -> None:
    with pytest.raises(SettingsError, match="such as 2026-01-31"):
        since_day(text, TODAY)


@pytest.mark.parametrize("by", ["day", "week", "month"])
def test_a_recording_without_times_has_a_line_of_its_own(by: str) -> None:
    rows = [DayTotals("", requests=1), DayTotals("2026-11-01", requests=2)]
    assert [one.totals.requests for one in periods(rows, by, Money())] == [1, 2]
    assert periods(rows, by, Money())[0].name == "(no date)"


def test_the_dearest_comes_first() -> None:
    cheap = DayTotals("2026-11-01", model="claude-haiku-4-5", requests=1, cost=1_000.0, cost_unpruned=2_000.0)
    dear = DayTotals("2026-11-02", model="claude-opus-4-5", requests=1, cost=1_000.0, cost_unpruned=2_000.0)
    assert [one.name for one in periods([cheap, dear], "model", Money())] == [dear.model, cheap.model]
    assert [one.name for one in periods([dear, cheap], "day", Money())] == ["2026-11-01", "2026-11-02"]


def test_the_cached_share_is_that_of_all_that_was_sent() -> None:
    [one] = periods([DayTotals("2026-11-01", input=10, cache_read=60, cache_write=10)], "day", Money())
    assert one.cached == 0.75


def test_the_share_belongs_to_the_dollars_beside_it() -> None:
    """A model without a price adds nothing to the dollars of its group, so it must not change their share."""
    priced = DayTotals("2026-01-31", "claude", "claude-sonnet-4-5", cost=900_000, cost_unpruned=1_000_000)
    unknown = DayTotals("2026-01-31", "claude", "unheard-of", cost=0, cost_unpruned=1_000_000)
    [period] = periods([priced, unknown], "day", Money())
    _, [row] = period_table([period], "day", money=True)
    assert row[-4:] == ("$2.70", "$3.00", "$0.30", "10%")
