"""When edits are made: free moments, the best cut, prices, patience, pressure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from typing import Any

import pytest

from prunus.edits import Gone, Proposal
from prunus.history import Ref
from prunus.schedule.cache import SCHEDULES, Cache
from prunus.schedule.plan import Eager, OnRequest, Plan, RequestState, Schedule, WhenFull
from prunus.schedule.prices import Price

USUAL = Price(0.1, 1.25, 300, 0)
CHEAP_READS = Price(0.025, 1.25, 300, 0)
DEAR_READS = Price(0.5, 1.0, 300, 0)
NEVER = 1 << 62
PRESSURE = WhenFull(share=0.75)


@dataclass(frozen=True, slots=True)
class Lasting(Cache):
    """A schedule that expects so many requests more, if none of them is too far ahead to count."""

    more: int = 20

    def to_come(self, requests: int) -> int:
        return round(self.more * (1 - exp(-self.ahead / self.more)))


CACHE = Lasting(patience=2.0, ahead=100)


def moment(*pending: tuple[int, int], **changes: Any) -> RequestState:
    """The 21st request: 100 messages of 100 tokens were sent before; window and purse are large.

    Edits for 20 tokens come with each request, so at the usual price such a break costs 4 * sqrt(broken) with each.
    """
    usual: dict[str, Any] = {
        "pending": pending,
        "sent": 100,
        "tail": lambda message: 100 * (100 - message),
        "tokens": 10_200,
        "requests": 20,
        "cold": "",
        "price": USUAL,
        "window": 200_000,
        "paid": 10_000_000.0,
        "growth": 20.0,
    }
    return RequestState(**{**usual, **changes})


def cut(schedule: Schedule, at: RequestState) -> int:
    return schedule.plan(at).cut


def test_eager_makes_every_edit_at_once() -> None:
    assert Eager().plan(moment((3, 1))) == Plan(0, "at once")


@pytest.mark.parametrize("changes", [{}, {"cold": "idle"}, {"tokens": 1_000_000}, {"sent": 0}])
def test_manual_never_makes_an_edit_by_itself(changes: dict[str, Any]) -> None:
    assert cut(OnRequest(), moment((3, 5000), (99, 5000), **changes)) > 1_000_000


@pytest.mark.parametrize(("tokens", "made"), [(7499, False), (7500, True), (20_000, True)])
def test_pressure_waits_for_its_share_of_the_window(tokens: int, made: bool) -> None:
    at = moment((3, 5000), tokens=tokens, window=10_000)
    assert cut(PRESSURE, at) == (0 if made else NEVER)


def test_pressure_has_a_share_of_its_own() -> None:
    assert cut(WhenFull(share=0.5), moment((3, 1), tokens=5000, window=10_000)) == 0
    assert cut(WhenFull(share=0.9), moment((3, 1), tokens=5000, window=10_000)) == NEVER


def test_pressure_does_not_ask_whether_the_cache_is_cold() -> None:
    assert cut(PRESSURE, moment((3, 5000), cold="idle for 900 seconds")) == NEVER


def test_the_pressure_reminder_says_how_full_the_context_is() -> None:
    assert PRESSURE.plan(moment((3, 1), tokens=8000, window=10_000)).reason == "the context is 80% full"


def test_a_cold_cache_is_a_free_moment() -> None:
    at = moment((3, 1), cold="idle for 900 seconds")
    assert CACHE.plan(at) == Plan(0, "idle for 900 seconds")


def test_edits_of_unsent_messages_are_free() -> None:
    assert CACHE.plan(moment((3, 1), (100, 1), (101, 40))) == Plan(100, "not sent before")


def test_a_first_request_is_free_as_a_whole() -> None:
    assert cut(CACHE, moment((0, 1), (60, 1), sent=0, requests=0)) == 0


def test_new_messages_do_not_make_old_edits_pay() -> None:
    """The cut is behind what was sent, so a small old edit stays pending."""
    assert cut(CACHE, moment((3, 1), (100, 5))) == 100


def test_savings_in_new_messages_do_not_justify_a_cache_break() -> None:
    """They are edited without any break, so only the old edit can pay for one."""
    assert cut(CACHE, moment((3, 1), (100, 8000))) == 100


def test_a_large_edit_near_the_end_is_made() -> None:
    # It saves 0.1 * 500 * 21 = 1050, and breaks 1.15 * (600 - 500) = 115.
    assert CACHE.plan(moment((94, 500))) == Plan(94, "saves 500 tokens a request")


def test_the_same_edit_far_from_the_end_waits() -> None:
    # It breaks 1.15 * (9700 - 500) = 10580.
    assert cut(CACHE, moment((3, 500))) == 100


def test_a_shallow_cut_is_chosen_over_a_deep_one() -> None:
    assert cut(CACHE, moment((3, 500), (94, 500))) == 94


def test_a_deep_cut_is_chosen_where_it_pays_for_itself() -> None:
    # Together they save 630 with each request; the break of 1.15 * 3400 = 3910 costs 250. The other is worth 7.
    assert CACHE.plan(moment((3, 5800), (94, 500))) == Plan(3, "saves 6,300 tokens a request")


def test_a_deep_cut_has_to_pay_for_the_additional_break() -> None:
    # It would save 230 instead of 50, but break 1.15 * 7400 = 8510 instead of 115, which costs 369 instead of 43.
    assert cut(CACHE, moment((3, 1800), (94, 500), requests=90)) == 94


def test_the_schedule_chooses_the_paying_cut_that_is_worth_most() -> None:
    # All three pay. The deepest one adds one token to what is saved, and 1.15 * 90 to what is broken.
    assert cut(CACHE, moment((92, 10), (93, 600), (94, 500), tail=lambda m: 100 * (100 - m) + 600)) == 93


def test_edits_that_touch_gather_weight() -> None:
    one, both = moment((80, 900)), moment((80, 900), (81, 900))
    assert cut(CACHE, one) == 100
    assert cut(CACHE, both) == 80


@pytest.mark.parametrize(("patience", "made"), [(0.0, True), (1.0, True), (1.05, True), (1.2, False), (5.0, False)])
def test_patience_waits_for_more_to_flush_along(patience: float, made: bool) -> None:
    # It saves 50 with each request; the break of 525 costs 2 * sqrt(525) = 46 if that is done as often as is best.
    at = moment((90, 100), tail=lambda message: 100 + 1050, price=DEAR_READS, growth=4.0)
    assert cut(replace(CACHE, patience=patience), at) == (90 if made else 100)


@pytest.mark.parametrize(("growth", "made"), [(0.0, True), (4.0, True), (20.0, False), (400.0, False)])
def test_the_schedule_waits_longer_the_more_new_edits_come(growth: float, made: bool) -> None:
    at = moment((90, 100), tail=lambda message: 100 + 1050, price=DEAR_READS, growth=growth)
    assert cut(replace(CACHE, patience=1.0), at) == (90 if made else 100)


def test_patience_or_not_a_break_has_to_pay_in_the_requests_to_come() -> None:
    # With 20 to come it saves 0.5 * 100 * 21 = 1050, and breaks 0.5 * 2100 or a little more.
    for behind, made in ((2100, True), (2102, False)):
        at = moment((90, 100), tail=lambda _, behind=behind: 100 + behind, price=DEAR_READS, growth=0.0)
        assert cut(replace(CACHE, patience=0.0), at) == (90 if made else 100)


@pytest.mark.parametrize(
    ("price", "made"), [(CHEAP_READS, False), (USUAL, False), (DEAR_READS, True)], ids=["0.025", "0.1", "0.5"]
)
def test_dear_reads_break_sooner(price: Price, made: bool) -> None:
    assert cut(CACHE, moment((60, 500), price=price, growth=5.0)) == (60 if made else 100)


@pytest.mark.parametrize(
    ("price", "made"), [(CHEAP_READS, False), (USUAL, True), (DEAR_READS, True)], ids=["0.025", "0.1", "0.5"]
)
def test_cheap_reads_break_later(price: Price, made: bool) -> None:
    assert cut(CACHE, moment((90, 700), price=price, growth=10.0)) == (90 if made else 100)


def test_every_edit_is_made_if_writes_cost_no_more_than_reads() -> None:
    assert cut(CACHE, moment((3, 1), price=Price(1.0, 1.0, 300, 0))) == 3


def test_free_reads_save_nothing() -> None:
    assert cut(CACHE, moment((90, 700), price=Price(0.0, 1.25, 300, 0))) == 100


def test_the_cache_is_broken_sooner_in_long_conversations() -> None:
    assert cut(replace(CACHE, more=10), moment((80, 600), growth=2.0)) == 100
    assert cut(replace(CACHE, more=90), moment((80, 600), growth=2.0)) == 80


def test_no_conversation_is_expected_to_last_for_ever() -> None:
    assert cut(replace(CACHE, ahead=10, more=90), moment((80, 600), growth=2.0)) == 100
    assert cut(replace(CACHE, more=1_000_000), moment((3, 200))) == 100


def test_the_saving_counts_in_this_request_too() -> None:
    # One request to come and this one: 0.5 * 100 * 2 = 100 against 0.5 * 190.
    at = moment((90, 100), tail=lambda message: 290, price=DEAR_READS)
    assert cut(Lasting(patience=1.0, more=1), at) == 90
    assert cut(Lasting(patience=1.0, more=1, ahead=0), at) == 100


def test_an_edit_that_takes_all_of_the_tail_costs_nothing() -> None:
    assert cut(CACHE, moment((99, 100), requests=0)) == 99


def test_an_edit_that_gives_back_tokens_is_not_worth_a_break() -> None:
    assert cut(CACHE, moment((99, -50))) == 100


FULL: dict[str, Any] = {"forced": "the context is 95% full", "wanted": 1000}


@pytest.mark.parametrize("schedule", [CACHE, PRESSURE], ids=["cache", "pressure"])
def test_when_the_context_runs_short_the_price_does_not_matter(schedule: Schedule) -> None:
    assert schedule.plan(moment((3, 1), **FULL)) == Plan(0, "the context is 95% full")


def test_the_cheapest_cut_that_frees_enough_is_chosen() -> None:
    assert cut(CACHE, moment((3, 100), (50, 700), (80, 400), **FULL)) == 50
    assert cut(CACHE, moment((3, 100), (50, 700), (80, 1000), **FULL)) == 80


def test_every_edit_is_made_if_no_cut_frees_enough() -> None:
    assert cut(CACHE, moment((3, 1), (50, 700), (80, 200), **FULL)) == 0


def test_the_cache_is_left_alone_if_no_tokens_have_to_be_freed() -> None:
    assert cut(CACHE, moment((3, 1), (100, 5000), forced="full", wanted=0)) == 100


def test_tokens_freed_in_new_messages_do_not_count_as_freed_in_sent_ones() -> None:
    assert cut(CACHE, moment((50, 1000), (80, 400), (100, 5000), **FULL)) == 50


@pytest.mark.parametrize(
    ("paid", "earned", "made"), [(1150.0, 0.0, True), (1149.0, 0.0, False), (0.0, 115.0, True)]
)
def test_a_break_may_cost_the_savings_and_a_share_of_the_cost_so_far(
    paid: float, earned: float, made: bool
) -> None:
    # It saves 0.1 * 500 * 21 = 1050, and breaks 1.15 * (600 - 500) = 115.
    at = moment((94, 500), paid=paid, earned=earned)
    assert cut(replace(CACHE, stake=0.1), at) == (94 if made else 100)


def test_earlier_losses_have_to_be_earned_back_first() -> None:
    assert cut(replace(CACHE, stake=0.1), moment((94, 500), paid=2000.0, earned=-86.0)) == 100


def test_without_a_stake_only_free_edits_are_made_at_first() -> None:
    assert cut(replace(CACHE, stake=0.0), moment((94, 500))) == 100
    assert cut(replace(CACHE, stake=0.0), moment((99, 100))) == 99


def test_a_shallower_cut_is_made_where_the_budget_is_too_small_for_a_deep_one() -> None:
    at = moment((3, 5800), (94, 500), paid=1000.0)
    assert cut(replace(CACHE, stake=1.0), at) == 94
    assert cut(replace(CACHE, stake=5.0), at) == 3


TIERED = Price(0.1, 1.25, 300, 0, tier=10_000, tier_factor=2.0)
AT_ONCE = Cache(patience=1.0, ahead=0)
"""Counts on no request but this one."""


def test_a_tier_that_is_left_is_a_saving() -> None:
    # 20 + 1000 for the tier against 1.15 * (500 - 200) = 345; without it nothing would pay.
    at = moment((95, 200), tokens=10_200, price=TIERED)
    assert AT_ONCE.plan(at) == Plan(95, "past 10,000 tokens the whole request costs more")
    assert cut(AT_ONCE, replace(at, price=USUAL)) == 100


def test_a_tier_is_no_reason_for_a_break_that_costs_more() -> None:
    # 1.15 * (9700 - 200) = 10925.
    assert cut(AT_ONCE, moment((3, 200), tokens=10_200, price=TIERED)) == 100


def test_edits_in_several_messages_leave_the_tier_together() -> None:
    assert cut(AT_ONCE, moment((94, 100), (97, 100), tokens=10_200, price=TIERED)) == 94


def test_the_shallowest_cut_that_leaves_the_dear_tier_is_made() -> None:
    assert cut(AT_ONCE, moment((90, 100), (95, 200), tokens=10_200, price=TIERED)) == 95


def test_a_tier_that_new_messages_leave_needs_no_break() -> None:
    assert cut(AT_ONCE, moment((95, 200), (100, 300), tokens=10_200, price=TIERED)) == 100


@pytest.mark.parametrize(("tokens", "made"), [(10_000, False), (10_001, True), (10_200, True), (10_201, False)])
def test_only_a_tier_that_is_left_counts(tokens: int, made: bool) -> None:
    """The request is not past it, or the edits do not bring it back."""
    assert cut(AT_ONCE, moment((95, 200), tokens=tokens, price=TIERED)) == (95 if made else 100)


def test_a_tier_ahead_is_a_cost_ahead() -> None:
    """At 450 tokens a request the tier is two requests away; the edit puts it off by one."""
    soon = replace(AT_ONCE, ahead=4)
    at = moment((95, 480), tokens=9_000, tail=lambda message: 1000, price=TIERED)
    assert cut(soon, at) == 95
    assert cut(soon, replace(at, price=USUAL)) == 100
    assert cut(soon, replace(at, tokens=5_000)) == 100


def test_a_purse_that_is_empty_pays_for_no_tier() -> None:
    assert cut(AT_ONCE, moment((95, 200), tokens=10_200, price=TIERED, paid=0.0)) == 100


def test_every_schedule_has_a_name_of_its_own() -> None:
    assert {schedule.name for schedule in SCHEDULES} == {"cache", "eager", "pressure", "manual"}


def test_a_cut_that_leaves_less_than_the_provider_caches_costs_the_rest_too() -> None:
    pending = ((38, 4400),)
    short = replace(USUAL, minimum=4096)
    assert cut(CACHE, moment(*pending, growth=40.0)) == 38
    # 3,800 tokens before the cut and 200 around them, or 400, which then are enough to be found again.
    assert cut(CACHE, moment(*pending, growth=40.0, price=short)) == 100
    assert cut(CACHE, moment(*pending, growth=40.0, price=short, tokens=10_400)) == 38
    assert cut(CACHE, moment(*pending, growth=40.0, price=short, tokens=10_400, new=200)) == 100


def risky(reuse: float, tokens: int = 1000, saved: int = 850) -> Proposal:
    return Proposal(Ref(3, 0), Gone(), "any", "", tokens, tokens - saved, reuse=reuse)


@pytest.mark.parametrize(("reuse", "taken"), [(0.0, True), (0.25, True), (0.3, False), (1.0, False)])
def test_a_reusable_part_goes_only_if_it_saves_more_than_it_risks(reuse: float, taken: bool) -> None:
    # It saves 0.1 * 850 * 21 = 1785; reading it again costs 1.25 * 1000 + 0.1 * 20,000 = 3250, counted twice.
    assert CACHE.takes(risky(reuse), USUAL, 0) is taken


def test_the_longer_a_conversation_lasts_the_more_may_be_risked() -> None:
    assert not CACHE.takes(risky(0.3), USUAL, 0)
    assert replace(CACHE, more=40).takes(risky(0.3), USUAL, 0)


SOONER = moment((60, 1100), price=DEAR_READS)
"""An edit that is made at once where reads are dear, and waits at the usual price."""


def test_a_reusable_part_waits_for_the_flush_at_the_usual_price() -> None:
    assert cut(CACHE, SOONER) == 60
    assert cut(CACHE, replace(SOONER, price=USUAL)) == CACHE.first_risky(SOONER) == 100


def test_a_reusable_part_goes_if_the_usual_price_would_flush_too() -> None:
    assert CACHE.first_risky(moment((90, 800), price=DEAR_READS)) == 90


def test_a_reusable_part_goes_when_the_cache_is_lost_anyway() -> None:
    assert CACHE.first_risky(replace(SOONER, cold="idle for 900 seconds")) == 0
    assert CACHE.first_risky(moment((100, 800), price=DEAR_READS)) == 100


@pytest.mark.parametrize("price", [USUAL, CHEAP_READS, Price(0.0, 1.0, 300, 0), Price(0.02, 1.0, 7200, 0)])
def test_no_edit_waits_longer_if_flushes_come_no_sooner_than_usual(price: Price) -> None:
    assert CACHE.first_risky(moment((60, 1100), price=price)) == 0


def test_a_small_budget_counts_at_the_usual_price_as_at_its_own() -> None:
    """What reads that cost 5 times as much have earned is worth a fifth at the usual price."""
    at = moment((90, 800), price=DEAR_READS, paid=0.0, earned=400.0)
    assert cut(CACHE, at) == 90
    assert CACHE.first_risky(at) == 100


def test_care_says_how_much_a_loss_counts() -> None:
    assert Lasting(care=0.0).takes(risky(1.0), USUAL, 0)
    assert not Lasting(care=10.0).takes(risky(0.1), USUAL, 0)


@pytest.mark.parametrize("schedule", [Eager(), OnRequest(), PRESSURE], ids=["eager", "manual", "pressure"])
def test_other_schedules_do_not_weigh_risks(schedule: Schedule) -> None:
    assert schedule.takes(risky(1.0), USUAL, 0)
