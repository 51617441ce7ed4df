"""Each family has its price; the more particular pattern comes first."""

import pytest

from prunus.errors import SettingsError
from prunus.schedule.prices import DEFAULT, NAMED_ROWS, ROWS, Price, price_of, request_cost, window_of, with_ttl


@pytest.mark.parametrize(
    ("model", "read", "write", "minimum"),
    [
        ("claude-fable-5-1", 0.025, 1.25, 512),
        ("claude-fable-5", 0.1, 1.25, 512),
        ("claude-opus-5-5", 0.05, 1.25, 512),
        ("claude-opus-5-5[1m]", 0.05, 1.25, 512),
        ("claude-opus-5-20260724", 0.1, 1.25, 512),
        ("claude-opus-4-8", 0.1, 1.25, 1024),
        ("claude-opus-4-7", 0.1, 1.25, 2048),
        ("claude-opus-4-20250514", 0.1, 1.25, 1024),
        ("anthropic/claude-opus-4.5", 0.1, 1.25, 4096),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 0.1, 1.25, 4096),
        ("claude-sonnet-5-5", 0.05, 1.25, 1024),
        ("claude-sonnet-4-5-20250929", 0.1, 1.25, 1024),
        ("claude-3-5-haiku-20241022", 0.1, 1.25, 2048),
        ("gpt-6.1-sol", 0.05, 1.25, 1024),
        ("gpt-6-astra", 0.1, 1.25, 1024),
        ("openai/gpt-5.6", 0.1, 1.25, 1024),
        ("GPT-5.5", 0.1, 1.0, 1024),
        ("gpt-5-mini-2025-08-07", 0.1, 1.0, 1024),
        ("gpt-4.1-mini", 0.25, 1.0, 1024),
        ("openai/o3", 0.25, 1.0, 1024),
        ("o3-mini", 0.5, 1.0, 1024),
        ("gpt-4o-mini", 0.5, 1.0, 1024),
        ("gemini-2.5-pro", 0.1, 1.0, 2048),
        ("models/gemini-3.5-flash", 0.1, 1.0, 4096),
        ("deepseek-v3.2", 0.1, 1.0, 64),
        ("deepseek-v4-pro", 0.033, 1.0, 64),
        ("deepseek/deepseek-v4.1-flash", 0.02, 1.0, 64),
    ],
)
def test_a_model_has_the_price_of_its_family(model: str, read: float, write: float, minimum: int) -> None:
    price = price_of(model)
    assert (price.read, price.write, price.minimum) == (read, write, minimum)


@pytest.mark.parametrize("model", ["", "fake-model", "local/qwen3-coder", "foo3"])
def test_an_unknown_model_has_the_default_price(model: str) -> None:
    assert price_of(model) == DEFAULT


@pytest.mark.parametrize(
    ("model", "tier", "factor"),
    [
        ("gpt-5.4", 272_000, 2.0),
        ("gpt-6-sol", 272_000, 2.0),
        ("gemini-3.1-pro-preview", 200_000, 2.0),
        ("gemini-2.5-pro", 200_000, 2.0),
        ("claude-haiku-5-5", 100_000, 5.0),
        ("gemini-3-flash-preview", None, 1.0),
        ("claude-opus-5-5", None, 1.0),
        ("gpt-4o", None, 1.0),
    ],
)
def test_the_long_context_tier_is_that_of_the_model(model: str, tier: int | None, factor: float) -> None:
    assert (price_of(model).tier, price_of(model).tier_factor) == (tier, factor)


def test_no_row_is_hidden_behind_an_earlier_one() -> None:
    for row in ROWS:
        for pattern in row.models:
            assert price_of(pattern.strip("*").replace("*", "-x-")) == row.price, pattern


def test_every_row_names_its_source_and_year() -> None:
    assert all("202" in row.source for row in ROWS)


def test_an_override_changes_the_named_fields_only() -> None:
    overrides = {"GPT-5.6*": {"read": 0.2, "tier": None}, "*": {"read": 0.9}}
    price = price_of("openai/gpt-5.6-mini", overrides)
    assert (price.read, price.write, price.tier) == (0.2, 1.25, None)


def test_the_first_override_that_matches_counts_and_others_do_not() -> None:
    overrides = {"mine": {"read": 0.3}, "mine*": {"read": 0.4, "write": 1.5}}
    assert price_of("mine", overrides) == Price(0.3, DEFAULT.write, DEFAULT.ttl, DEFAULT.minimum)
    assert price_of("yours", overrides) == DEFAULT


def test_an_override_of_an_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match=r"wrote.*allowed: read, write"):
        price_of("mine", {"mine": {"wrote": 1.0}})


def test_writes_for_an_hour_cost_twice_the_input_at_anthropic() -> None:
    price = with_ttl(price_of("claude-opus-5"), "1h")
    assert (price.read, price.write, price.ttl) == (0.1, 2.0, 3600)


def test_a_day_is_free_of_charge_at_openai_and_an_hour_is_not_on_offer() -> None:
    price = price_of("gpt-5")
    assert (with_ttl(price, "24h").write, with_ttl(price, "24h").ttl) == (1.0, 86_400)
    assert with_ttl(price, "1h") == price
    assert with_ttl(price_of("gpt-5.6"), "24h") == price_of("gpt-5.6")


@pytest.mark.parametrize("ttl", [None, "", "5m", "soon", "1 h"])
def test_any_other_lifetime_leaves_the_price(ttl: str | None) -> None:
    price = price_of("claude-opus-5")
    assert with_ttl(price, ttl) == price


def test_an_hour_has_no_effect_where_the_provider_does_not_offer_it() -> None:
    assert with_ttl(price_of("gemini-2.5-pro"), "1h") == price_of("gemini-2.5-pro")


def test_cached_tokens_cost_the_read_price_and_the_rest_the_write_price() -> None:
    assert request_cost(NAMED_ROWS["0.1/1.25"], 1000, 800) == pytest.approx(80 + 250)


def test_no_more_can_be_cached_than_is_sent() -> None:
    assert request_cost(NAMED_ROWS["0.5/1.0"], 1000, 5000) == pytest.approx(500)


def test_past_the_tier_the_whole_request_is_dearer() -> None:
    price = Price(0.1, 1.0, 300, 0, tier=1000, tier_factor=2.0)
    assert request_cost(price, 1000, 900) == pytest.approx(90 + 100)
    assert request_cost(price, 1001, 900) == pytest.approx(2 * (90 + 101))


def test_below_the_minimum_nothing_is_cached_or_charged_for_caching() -> None:
    price = Price(0.1, 1.25, 300, 1024)
    assert request_cost(price, 1023, 1000) == 1023
    assert request_cost(price, 1024, 0) == 1280


def test_a_shared_prefix_below_the_minimum_is_no_hit() -> None:
    assert request_cost(Price(0.1, 1.25, 300, 1024), 2000, 1023) == 2500


def test_a_named_row_is_its_name() -> None:
    assert {"0.1/1.25", "0.025/1.25", "0.5/1.0", "0.02/1.0", "0.05/1.25", "0.1/1.0"} == set(NAMED_ROWS)
    assert NAMED_ROWS["0.025/1.25"] == Price(0.025, 1.25, 300, 0)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4.1-mini", 1_000_000),
        ("azure/gpt-4-1", 1_000_000),
        ("openai/gpt-5.5", 272_000),
        ("claude-sonnet-4-5", 200_000),
        ("a-model-that-nobody-knows", 200_000),
    ],
)
def test_a_window_is_found_by_the_same_names_as_a_price(model: str, window: int) -> None:
    assert window_of(model) == window
