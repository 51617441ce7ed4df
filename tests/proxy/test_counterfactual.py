"""The cost of an exchange, with and without pruning."""

from typing import Any

import pytest

from prunus.proxy.calibration import Weight
from prunus.proxy.counterfactual import Accounts, ExchangeCost, SentRequest
from prunus.schedule.ledger import Flush
from prunus.schedule.prices import Price
from prunus.store.records import Usage

PRICE = Price(0.1, 1.25, 300, 0)


class Talk:
    """The requests of one conversation, settled one after the other."""

    def __init__(self, price: Price = PRICE) -> None:
        self.accounts = Accounts()
        self.price = price
        self.request = 0

    def settle(
        self,
        before: float,
        after: float,
        time: float = 0.0,
        *usages: Usage,
        prompt: bytes = b"p",
        gap: int = 0,
        model: str = "m",
        **more: Any,
    ) -> ExchangeCost:
        """The next request; `gap` requests lie between it and the last one."""
        self.request += 1 + gap
        weights = Weight(before, round(before * 4)), Weight(after, round(after * 4))
        sent = SentRequest("c", model, self.request, time, prompt, *weights, usages=usages, **more)
        return self.accounts.settle(sent, self.price)


def paid(costs: ExchangeCost) -> tuple[float, float, float]:
    """What a request costs, what it would have cost, and what of it goes to a break."""
    return pytest.approx((costs.cost, costs.unpruned, costs.of_break))  # type: ignore[no-any-return]


def test_the_first_request_is_written_as_a_whole() -> None:
    assert paid(Talk().settle(100, 80)) == (100, 125, 0)


def test_the_next_request_finds_the_previous_one_in_the_cache_of_each_world() -> None:
    talk = Talk()
    talk.settle(1000, 800)
    costs = talk.settle(1100, 900, time=10)
    assert costs.cost == pytest.approx(800 * 0.1 + 100 * 1.25)
    assert costs.unpruned == pytest.approx(1000 * 0.1 + 100 * 1.25)


def test_a_flush_is_paid_in_the_pruned_world_only() -> None:
    talk = Talk()
    talk.settle(1000, 1000)
    flush = Flush(2, 10.0, 3, "worth it", 300, 200)
    costs = talk.settle(1100, 800, time=10, flush=flush)
    assert costs.cost == pytest.approx(500 * 0.1 + 300 * 1.25)
    assert costs.unpruned == pytest.approx(1000 * 0.1 + 100 * 1.25)
    assert costs.of_break == pytest.approx(200 * 1.15)


@pytest.mark.parametrize("change", [{"time": 301.0}, {"prompt": b"other"}])
def test_a_cache_that_is_lost_is_lost_in_both(change: dict[str, Any]) -> None:
    talk = Talk()
    talk.settle(1000, 800)
    assert paid(talk.settle(1100, 900, **change)) == (1125, 1375, 0)


def test_conversations_are_apart() -> None:
    talk = Talk()
    talk.settle(1000, 800)
    other = SentRequest("d", "m", 1, 1.0, b"p", Weight(1000, 4000), Weight(800, 3200))
    assert paid(talk.accounts.settle(other, PRICE)) == (1000, 1250, 0)


def test_the_cost_follows_the_providers_usage() -> None:
    talk = Talk()
    talk.settle(1000, 800)
    costs = talk.settle(1100, 900, 10, Usage(10, 800, 90, 5))
    assert costs.cost == pytest.approx(10 + 80 + 90 * 1.25)
    rate = (10 + 90 * 1.25) / 100
    assert costs.unpruned == pytest.approx(1000 * 0.1 + 100 * rate)


def test_a_client_that_asks_for_no_cache_does_not_look_like_a_saving() -> None:
    talk = Talk()
    talk.settle(1000, 1000, 0, Usage(1000))
    assert paid(talk.settle(1100, 1100, 10, Usage(1100))) == (1100, 1100, 0)
    costs = talk.settle(1200, 600, 20, Usage(600))
    assert paid(costs) == (600, 1200, 0)


def test_a_cache_that_conversations_share_is_found_in_both_worlds() -> None:
    costs = Talk().settle(1000, 900, 0, Usage(0, 500, 400, 5))
    assert costs.cost == pytest.approx(50 + 400 * 1.25)
    assert costs.unpruned == pytest.approx(50 + 500 * 1.25)


def test_a_cache_miss_by_a_flush_is_not_charged_to_the_unpruned_world() -> None:
    talk = Talk()
    talk.settle(1000, 1000, 0, Usage(0, 0, 1000))
    flush = Flush(2, 10.0, 3, "worth it", 300, 200)
    costs = talk.settle(1100, 800, 10, Usage(0, 400, 400), flush=flush)
    assert costs.cost == pytest.approx(400 * 0.1 + 400 * 1.25)
    assert costs.unpruned == pytest.approx(1000 * 0.1 + 100 * 1.25)


def test_in_shadow_the_word_of_the_provider_is_about_the_unpruned_request() -> None:
    talk = Talk()
    talk.settle(1000, 800, 0, Usage(0, 0, 1000), shadow=True)
    costs = talk.settle(1100, 900, 10, Usage(0, 1000, 100), shadow=True)
    assert costs.unpruned == pytest.approx(100 + 125)
    assert costs.cost == pytest.approx(80 + 125)


def test_a_long_request_costs_more_as_a_whole() -> None:
    price = Price(0.1, 1.0, 300, 0, tier=1000, tier_factor=2.0)
    assert paid(Talk(price).settle(1200, 900)) == (900, 2400, 0)


def test_a_second_call_of_the_model_is_paid_and_cached_in_the_pruned_world_only() -> None:
    talk = Talk()
    talk.settle(1000, 1000, 0, Usage(0, 0, 1000))
    costs = talk.settle(1100, 1100, 10, Usage(0, 1000, 100), Usage(0, 1100, 50))
    assert (costs.tokens, costs.tokens_unpruned) == (1100 + 1150, 1100)
    assert paid(costs) == (100 + 125 + 110 + 62.5, 100 + 125, 0)
    costs = talk.settle(1200, 1250, 20, Usage(0, 1150, 100))
    assert paid(costs) == (115 + 125, 110 + 125, 0)


def test_the_unpruned_request_grows_by_what_is_new_however_the_provider_counts() -> None:
    talk = Talk()
    billed = (1000, 1400, 1500, 1900)
    counted = (1000, 1200, 1300, 1500)
    costs = [
        talk.settle(
            ours + 500, ours, n, Usage(0, billed[n - 1] if n else 0, billed[n] - (billed[n - 1] if n else 0))
        )
        for n, ours in enumerate(counted)
    ]
    for n in (1, 2, 3):
        new = billed[n] - billed[n - 1]
        assert costs[n].unpruned == pytest.approx((costs[n].tokens_unpruned - new) * 0.1 + new * 1.25)


def test_a_break_that_the_provider_does_not_notice_costs_nothing() -> None:
    talk = Talk()
    talk.settle(1000, 1000, 0, Usage(0, 0, 1000))
    flush = Flush(2, 10.0, 3, "worth it", 0, 200)
    assert talk.settle(1100, 1100, 10, Usage(0, 1000, 100), flush=flush).of_break == 0


def test_after_a_restart_the_cache_of_the_provider_tells_what_is_new() -> None:
    talk = Talk()
    costs = talk.settle(1500, 1100, 0, Usage(0, 1000, 100), gap=7)
    assert paid(costs) == (100 + 125, 1400 * 0.1 + 125, 0)


def test_messages_that_another_process_sent_are_not_taken_for_new() -> None:
    talk = Talk()
    talk.settle(1000, 800, 0, Usage(0, 0, 800))
    costs = talk.settle(1400, 1200, 10, Usage(0, 1100, 100), gap=1)
    assert costs.unpruned == pytest.approx(1300 * 0.1 + 125)


def test_a_request_without_an_answer_changes_nothing() -> None:
    talk = Talk()
    talk.settle(1000, 800, 0, Usage(0, 0, 800))
    talk.accounts.skip("c", 2)
    costs = talk.settle(1100, 900, 10, Usage(0, 800, 100), gap=1)
    assert paid(costs) == (80 + 125, 100 + 125, 0)


def test_a_request_on_the_side_is_counted_and_the_conversation_goes_on_from_the_one_before_it() -> None:
    with_it, without_it = Talk(), Talk()
    for talk in (with_it, without_it):
        talk.settle(2000, 1500, 0.0, Usage(0, 0, 1500, 0))
    summary = SentRequest(
        "c",
        "m",
        1,
        5.0,
        b"no tools",
        Weight(1800, 7200),
        Weight(1300, 5200),
        usages=(Usage(1300, 0, 0, 0),),
        aside=True,
    )
    assert paid(with_it.accounts.settle(summary, PRICE)) == (1300, 1800, 0)
    costs = [talk.settle(2200, 1700, 10.0, Usage(0, 1500, 200, 0)) for talk in (with_it, without_it)]
    assert costs[0].unpruned == pytest.approx(costs[1].unpruned, rel=0.01)


def test_a_request_on_the_side_that_extends_the_cache_extends_it_in_both_worlds() -> None:
    talk = Talk()
    for number in (1, 2):
        talk.settle(1000 + 1000 * number, 500 + 1000 * number, 0.0, Usage(0, 0, 500 + 1000 * number, 0))
    weights = Weight(3100, 12400), Weight(2600, 10400)
    costs = talk.accounts.settle(
        SentRequest("c", "m", 2, 5.0, b"p", *weights, usages=(Usage(0, 2500, 100, 0),), aside=True), PRICE
    )
    assert paid(costs) == (2500 * 0.1 + 100 * 1.25, 3000 * 0.1 + 100 * 1.25, 0)


def test_a_request_on_the_side_that_is_sent_whole_misses_the_cache_in_the_pruned_world_only() -> None:
    talk = Talk()
    talk.settle(3000, 2500, 0.0, Usage(0, 0, 2500, 0))
    weights = Weight(3100, 12400), Weight(3100, 12400)
    costs = talk.accounts.settle(
        SentRequest("c", "m", 1, 5.0, b"p", *weights, usages=(Usage(0, 1000, 2100, 0),), aside=True, whole=True),
        PRICE,
    )
    assert paid(costs) == (1000 * 0.1 + 2100 * 1.25, 3000 * 0.1 + 100 * 1.25, 1500 * 1.15)


def test_no_figure_is_below_zero_where_the_provider_counts_something_else() -> None:
    costs = Talk().settle(1000, 2000, 0, Usage(5))
    assert (costs.tokens, costs.tokens_unpruned, costs.unpruned) == (5, 0, 0)


def test_a_prefix_below_the_minimum_is_cached_in_neither_world() -> None:
    talk = Talk(Price(0.1, 1.0, 300, 1024))
    talk.settle(900, 900, 0, Usage(900))
    assert paid(talk.settle(2000, 1900, 10, Usage(1900))) == (1900, 2000, 0)


def test_tools_of_the_agent_layer_may_lift_a_prefix_above_the_minimum_in_one_world() -> None:
    talk = Talk(Price(0.1, 1.0, 300, 1024))
    talk.settle(900, 1400, 0, Usage(1400))
    assert paid(talk.settle(1000, 1500, 10, Usage(100, 1400))) == (240, 1000, 0)


def test_two_models_in_a_conversation_are_measured_apart() -> None:
    talk = Talk()
    talk.settle(1000, 1000, 0, Usage(1000), prompt=b"1", model="one")
    talk.settle(1500, 1100, 10, Usage(2200), prompt=b"2", model="two")
    costs = talk.settle(1600, 1200, 20, Usage(1200), prompt=b"1", model="one")
    assert costs.tokens_unpruned == pytest.approx(1600)
