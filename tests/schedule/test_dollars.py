"""The table of dollar prices, and what users put before it."""

from __future__ import annotations

import re

import pytest

from prunus.schedule.dollars import SOURCE, TARIFFS, Tariff, tariff_of
from prunus.schedule.prices import price_of
from prunus.settings import Settings


def name_of(pattern: str) -> str:
    """A model that a row means: `claude-opus-4-5` for `*opus-4-[5678]*`."""
    name = re.sub(r"\[(.).*?\]", r"\1", pattern).replace("*", "")
    return name if re.match(r"gpt|o\d|gemini|deepseek", name) else f"claude-{name}"


@pytest.mark.parametrize(("pattern", "tariff"), TARIFFS, ids=[pattern for pattern, _ in TARIFFS])
def test_dollars_agree_with_the_ratios_that_the_schedule_uses(pattern: str, tariff: Tariff) -> None:
    model = name_of(pattern)
    assert tariff_of(model) == tariff, f"an earlier row takes {model}"
    price = price_of(model)
    assert tariff.cache_read / tariff.input == pytest.approx(price.read, abs=0.002)
    assert tariff.cache_write / tariff.input == pytest.approx(price.write, abs=0.002)


def test_the_table_says_where_it_is_from_and_when() -> None:
    assert re.search(r"\d{4}-\d\d", SOURCE)


def test_settings_go_before_the_table() -> None:
    money = Settings.model_validate({"prices": [{"model": "my-*", "input": 1.5}]}).money()
    assert money.of("my-model") == pytest.approx(1.5e-6)
    assert money.of("provider/my-model") == pytest.approx(1.5e-6)
    assert money.of("claude-sonnet-4-5") == pytest.approx(3e-6)
    assert money.of("nobody-knows") is None


def test_a_dollar_price_changes_no_ratio() -> None:
    settings = Settings.model_validate({"prices": [{"model": "claude*", "input": 1.5}]})
    assert settings.price_of("claude-sonnet-4-5") == Settings().price_of("claude-sonnet-4-5")
