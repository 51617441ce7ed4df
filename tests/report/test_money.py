"""Bills in dollars."""

from __future__ import annotations

import pytest

from prunus.report.bill import bill_of, bill_record, cost_of_asking
from prunus.report.spending import saved_by, strategy_records
from prunus.reuse.asked_again import Experience, Tried
from prunus.schedule.dollars import Money
from prunus.schedule.prices import Price
from prunus.spending import DayTotals, Earnings
from prunus.store.records import Totals

KNOWN = DayTotals("", model="claude-sonnet-4-5", requests=2, cost=600_000.0, cost_unpruned=1_000_000.0)
OTHER = DayTotals("", model="nobody-knows", requests=1, cost=1.0, cost_unpruned=2.0)


def test_the_dollars_of_a_bill_leave_out_models_without_a_price_and_the_bill_names_them() -> None:
    bill = bill_of([KNOWN, OTHER], Money())
    assert (bill.paid.dollars, bill.unpruned.dollars, bill.saved.dollars) == pytest.approx((1.8, 3.0, 1.2))
    assert bill.unknown == ("nobody-knows",)


def test_there_are_no_dollars_without_a_price_or_without_a_wish_for_one() -> None:
    assert not bill_of([OTHER], Money()).priced
    assert not bill_of([KNOWN], Money(shown=False)).priced
    assert bill_record(bill_of([OTHER], Money())) is None


def test_the_savings_of_a_strategy_stay_in_tokens_for_a_model_without_a_price() -> None:
    known = Earnings("stale_reads", KNOWN.model, 1, 10, 100, 1_000_000.0, 0)
    other = Earnings("stale_reads", OTHER.model, 2, 20, 200, 5_000.0, 1)
    assert str(saved_by([known, other], Money())) == "$3.00 + 5K tokens"
    [record] = strategy_records([known, other], Money())
    assert (record["cuts"], record["saved"], record["dollars_saved"]) == (3, 1_005_000.0, pytest.approx(3.0))
    assert "dollars_saved" not in strategy_records([other], Money())[0]


def test_asking_again_is_taken_off_the_savings() -> None:
    bill = bill_of([KNOWN], Money(), asking=100_000.0)
    assert (bill.asking.dollars, bill.saved.dollars) == pytest.approx((0.3, 0.9))


def test_asking_again_costs_a_request_and_the_part() -> None:
    tried = Tried(cut=10, expected=0.5, asked=2, tokens=1_000)
    totals = Totals(requests=2, tokens_after=100_000, experience=Experience(2, {("stale_reads", "read"): tried}))
    prices = {KNOWN.model: Price(0.1, 1.25, 300, 0), OTHER.model: Price(0.5, 1.0, 300, 0)}
    assert cost_of_asking(totals, [OTHER, KNOWN], prices.__getitem__) == 2 * (5_000 + 750) + 1_250
