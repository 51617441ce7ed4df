"""Sums over stretches equal those of a plain list, however it grew and changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prunus.engine.prefix_sums import Sums

STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 1000), st.integers(-50, 50)), max_size=60)


def summed(*values: int) -> Sums:
    sums = Sums()
    for value in values:
        sums.append(value)
    return sums


@given(steps=STEPS)
def test_every_stretch_has_the_sum_of_its_values(steps: list[tuple[bool, int, int]]) -> None:
    sums = Sums()
    plain: list[int] = []
    for grows, place, amount in steps:
        if grows or not plain:
            sums.append(amount)
            plain.append(amount)
        else:
            sums.add(place % len(plain), amount)
            plain[place % len(plain)] += amount
    assert len(sums) == len(plain)
    for start in range(len(plain) + 1):
        for end in range(start, len(plain) + 1):
            assert sums.between(start, end) == sum(plain[start:end])


def test_nothing_adds_up_to_nothing() -> None:
    assert (len(Sums()), Sums().before(0), Sums().between(0, 0)) == (0, 0, 0)


def test_the_value_at_the_end_of_a_stretch_is_not_in_it() -> None:
    sums = summed(5, 7, 11)
    assert sums.before(1) == 5
    assert sums.between(1, 2) == 7
    assert sums.before(3) == 23


def test_a_change_shows_in_every_stretch_around_it_and_in_no_other() -> None:
    sums = summed(1, 1, 1, 1)
    sums.add(2, -1)
    assert [sums.before(i) for i in range(5)] == [0, 1, 2, 2, 3]


def test_earlier_changes_count_after_more_values_are_appended() -> None:
    sums = summed(1, 2, 3)
    sums.add(0, 10)
    sums.append(4)
    assert sums.before(4) == 20
