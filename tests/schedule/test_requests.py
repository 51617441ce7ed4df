"""How many requests are expected to follow."""

from __future__ import annotations

from prunus.schedule.cache import FITTED, requests_to_come


def test_the_table_tells_how_many_follow() -> None:
    assert [requests_to_come(n, 1_000_000) for n, _ in FITTED] == [more for _, more in FITTED]


def test_no_more_than_the_bound_counts() -> None:
    assert 0 < requests_to_come(30, 40) < 40


def test_beyond_the_recorded_ones_as_many_again() -> None:
    assert requests_to_come(400, 1_000_000) == 400
