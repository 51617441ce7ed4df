"""How many requests are expected to follow."""

from __future__ import annotations

from statistics import mean

import pytest

from prunus.policy.requests import PRIOR, WEIGHT, Requests


def test_without_a_past_the_prior_speaks() -> None:
    expected = [Requests().to_come(n, 1_000_000) for n, _ in PRIOR]
    assert expected == [more for _, more in PRIOR]


def test_no_more_than_the_bound_counts() -> None:
    assert 0 < Requests().to_come(30, 40) < 40
    assert Requests.of([500] * 1_000).to_come(30, 40) == 40


def test_beyond_the_recorded_ones_as_many_again() -> None:
    assert Requests().to_come(400, 1_000_000) == 400


def test_a_long_past_outweighs_the_prior() -> None:
    past = Requests.of([25] * 10_000)
    assert past.to_come(20, 40) == 5


def test_conversations_that_did_not_come_as_far_do_not_count() -> None:
    short = Requests.of([1] * 10_000 + [19] * 10_000)
    assert short.to_come(20, 40) == Requests().to_come(20, 40)


def test_conversations_that_ended_here_count() -> None:
    assert Requests.of([20] * 10_000).to_come(20, 40) == 0


@pytest.mark.parametrize("bound", [1, 40, 200])
@pytest.mark.parametrize("so_far", [0, 1, 7, 30, 90, 150])
def test_past_and_prior_are_blended_by_number(so_far: int, bound: int) -> None:
    lengths = [90, 3, 31, 8, 151, 30, 7, 47, 130]
    followed = [min(length - so_far, bound) for length in lengths if length >= so_far]
    prior = Requests().to_come(so_far, bound)
    blended = mean([*followed, *[prior] * WEIGHT])
    # The prior itself is rounded here, not inside.
    assert abs(Requests.of(lengths).to_come(so_far, bound) - blended) <= 1


def test_the_order_of_the_past_does_not_matter() -> None:
    assert Requests.of([9, 2, 70]) == Requests.of([70, 9, 2]) == Requests((2, 9, 70))
