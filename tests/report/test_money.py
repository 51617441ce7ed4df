"""Bills in dollars."""

from __future__ import annotations

import pytest

from prunus.report.spending import bill_of, cost_of_asking
from prunus.reuse.asked_again import Experience, Tried
from prunus.schedule.dollars import Money
from prunus.schedule.prices import Price
from prunus.spending import DayTotals
from prunus.store.records import Totals

KNOWN = DayTotals("", model="claude-sonnet-4-5", requests=2, cost=600_000.0, cost_unpruned=1_000_000.0)
OTHER = DayTotals("", model="nobody-knows", requests=1, cost=1.0, cost_unpruned=2.0)


def test_a_bill_leaves_out_models_without_a_price_and_names_them() -> None:
    bill = bill_of([KNOWN, OTHER], Money())
    assert bill is not None
    assert (bill.cost, bill.unpruned, bill.saved) == pytest.approx((1.8, 3.0, 1.2))
    assert bill.unknown == ("nobody-knows",)


def test_there_is_no_bill_without_a_price_or_without_a_wish_for_one() -> None:
    assert bill_of([OTHER], Money()) is None
    assert bill_of([KNOWN], Money(shown=False)) is None


def test_asking_again_is_taken_off_the_savings() -> None:
    bill = bill_of([KNOWN], Money(), asking=100_000.0)
    assert bill is not None
    assert (bill.asking, bill.saved) == pytest.approx((0.3, 0.9))


def test_asking_again_costs_a_request_and_the_part() -> None:
    tried = Tried(cut=10, expected=0.5, asked=2, tokens=1_000)
    totals = Totals(requests=2, tokens_after=100_000, experience=Experience(2, {("stale_reads", "read"): tried}))
    prices = {KNOWN.model: Price(0.1, 1.25, 300, 0), OTHER.model: Price(0.5, 1.0, 300, 0)}
    assert cost_of_asking(totals, [OTHER, KNOWN], prices.__getitem__) == 2 * (5_000 + 750) + 1_250
