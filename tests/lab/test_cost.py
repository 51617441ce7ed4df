import pytest

from prunus.lab.cost import cost
from prunus.lab.replay import Replay, Sent
from prunus.schedule.prices import Price

PRICE = Price(0.1, 1.25, 300, 0)


def sent(tokens: int, cached: int, *, broken: int = 0, gap: float | None = None, declared: str = "") -> Sent:
    return Sent((), tokens, cached, broken, gap, declared)


def test_cached_tokens_pay_the_read_price_and_others_the_write_price() -> None:
    paid = cost(Replay("p", (sent(1_000, 0), sent(1_500, 1_000))), PRICE)
    assert paid.cost == pytest.approx(1_000 * 1.25 + 1_000 * 0.1 + 500 * 1.25)
    assert (paid.tokens, paid.peak) == (2_500, 1_500)


def test_after_a_long_gap_nothing_is_cached() -> None:
    warm = cost(Replay("p", (sent(1_000, 900, gap=300.0),)), PRICE)
    cold = cost(Replay("p", (sent(1_000, 900, gap=301.0),)), PRICE)
    assert warm.cost == pytest.approx(900 * 0.1 + 100 * 1.25)
    assert cold.cost == pytest.approx(1_000 * 1.25)
    assert (warm.cold, cold.cold) == (0, 1)


def test_an_unknown_gap_counts_as_warm() -> None:
    assert cost(Replay("p", (sent(1_000, 900, gap=None),)), PRICE).cold == 0


def test_breaks_are_counted_and_undeclared_ones_apart() -> None:
    paid = cost(Replay("p", (sent(9, 0), sent(9, 5, broken=4), sent(9, 5, broken=4, declared="flush"))), PRICE)
    assert (paid.breaks, paid.undeclared) == (2, 1)


def test_a_length_above_the_tier_costs_more() -> None:
    tiered = Price(0.1, 1.0, 300, 0, tier=1_000, tier_factor=2.0)
    assert cost(Replay("p", (sent(1_001, 0),)), tiered).cost == pytest.approx(2_002)
