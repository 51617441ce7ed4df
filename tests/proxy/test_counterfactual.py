"""What an exchange cost, and what it would have cost."""

import pytest

from prunus.policy.ledger import Flush
from prunus.policy.prices import Price
from prunus.proxy.calibration import Calibration
from prunus.proxy.counterfactual import Accounts, Costs, Sent
from prunus.store.records import Usage

PRICE = Price(0.1, 1.25, 300, 0)


def sent(before: float, after: float, time: float = 0.0, usage: Usage | None = None, **more: object) -> Sent:
    values = {"prompt": b"p", "flush": None, **more}
    return Sent("c", time, before=before, after=after, usage=usage, **values)  # type: ignore[arg-type]


def test_the_first_request_is_written_as_a_whole() -> None:
    assert Accounts().settle(sent(100, 80), PRICE) == Costs(100, 125, 0)


def test_the_next_one_finds_the_one_before_in_each_world() -> None:
    accounts = Accounts()
    accounts.settle(sent(1000, 800), PRICE)
    costs = accounts.settle(sent(1100, 900, time=10), PRICE)
    assert costs.cost == pytest.approx(800 * 0.1 + 100 * 1.25)
    assert costs.unpruned == pytest.approx(1000 * 0.1 + 100 * 1.25)


def test_a_flush_is_paid_in_the_pruned_world_only() -> None:
    accounts = Accounts()
    accounts.settle(sent(1000, 1000), PRICE)
    flush = Flush(2, 10.0, 3, "worth it", 300, 200)
    costs = accounts.settle(sent(1100, 800, time=10, flush=flush), PRICE)
    assert costs.cost == pytest.approx(500 * 0.1 + 300 * 1.25)
    assert costs.unpruned == pytest.approx(1000 * 0.1 + 100 * 1.25)
    assert costs.of_break == pytest.approx(200 * 1.15)


@pytest.mark.parametrize("change", [{"time": 301.0}, {"prompt": b"other"}])
def test_a_cache_that_is_lost_is_lost_in_both(change: dict[str, object]) -> None:
    accounts = Accounts()
    accounts.settle(sent(1000, 800), PRICE)
    assert accounts.settle(sent(1100, 900, **change), PRICE) == Costs(1125, 1375, 0)  # type: ignore[arg-type]


def test_conversations_are_apart() -> None:
    accounts = Accounts()
    accounts.settle(sent(1000, 800), PRICE)
    other = Sent("d", 1.0, b"p", 1000, 800, None, None)
    assert accounts.settle(other, PRICE) == Costs(1000, 1250, 0)


def test_the_word_of_the_provider_is_what_it_cost() -> None:
    accounts = Accounts()
    accounts.settle(sent(1000, 800), PRICE)
    costs = accounts.settle(sent(1100, 900, 10, Usage(10, 800, 90, 5)), PRICE)
    assert costs.cost == pytest.approx(10 + 80 + 90 * 1.25)
    rate = (10 + 90 * 1.25) / 100
    assert costs.unpruned == pytest.approx(1000 * 0.1 + 100 * rate)


def test_a_client_that_asks_for_no_cache_does_not_look_like_a_saving() -> None:
    accounts = Accounts()
    accounts.settle(sent(1000, 1000, 0, Usage(1000)), PRICE)
    assert accounts.settle(sent(1100, 1100, 10, Usage(1100)), PRICE) == Costs(1100, 1100, 0)
    costs = accounts.settle(sent(1200, 600, 20, Usage(600)), PRICE)
    assert costs == Costs(600, 1200, 0)


def test_a_cache_that_conversations_share_is_found_in_both_worlds() -> None:
    costs = Accounts().settle(sent(1000, 900, 0, Usage(0, 500, 400, 5)), PRICE)
    assert costs.cost == pytest.approx(50 + 400 * 1.25)
    assert costs.unpruned == pytest.approx(50 + 500 * 1.25)


def test_what_a_flush_misses_is_not_charged_to_the_unpruned_world() -> None:
    accounts = Accounts()
    accounts.settle(sent(1000, 1000, 0, Usage(0, 0, 1000)), PRICE)
    flush = Flush(2, 10.0, 3, "worth it", 300, 200)
    costs = accounts.settle(sent(1100, 800, 10, Usage(0, 400, 400), flush=flush), PRICE)
    assert costs.cost == pytest.approx(400 * 0.1 + 400 * 1.25)
    assert costs.unpruned == pytest.approx(1000 * 0.1 + 100 * 1.25)


def test_in_shadow_the_word_of_the_provider_is_about_the_unpruned_request() -> None:
    accounts = Accounts()
    accounts.settle(sent(1000, 800, 0, Usage(0, 0, 1000), shadow=True), PRICE)
    costs = accounts.settle(sent(1100, 900, 10, Usage(0, 1000, 100), shadow=True), PRICE)
    assert costs.unpruned == pytest.approx(100 + 125)
    assert costs.cost == pytest.approx(80 + 125)


def test_a_long_request_costs_more_as_a_whole() -> None:
    price = Price(0.1, 1.0, 300, 0, tier=1000, tier_factor=2.0)
    assert Accounts().settle(sent(1200, 900), price) == Costs(900, 2400, 0)


def test_a_factor_is_learnt_for_each_model() -> None:
    learnt = Calibration()
    assert learnt.factor("m") == 1.0
    assert learnt.learn("m", 100, 120) == 1.2
    assert learnt.factor("m") == 1.2
    learnt.learn("m", 100, 130)
    assert 1.2 < learnt.factor("m") < 1.3
    assert learnt.factor("other") == 1.0
    for counted, billed in ((0, 5), (5, 0), (10, 1000), (1000, 10)):
        learnt.learn("other", counted, billed)
    assert learnt.factor("other") == 1.0
