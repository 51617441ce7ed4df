import pytest

from prunus.errors import SettingsError
from prunus.schedule.dollars import Money


def test_a_price_is_for_every_model_or_for_those_of_a_pattern() -> None:
    money = Money().with_prices(["2", "claude-*=3"])
    assert money.of("claude-sonnet-4-5") == pytest.approx(3e-6)
    assert money.of("gpt-5") == money.of("") == pytest.approx(2e-6)


def test_a_model_without_a_price_has_no_dollars() -> None:
    assert Money().with_prices(["claude-*=3"]).of("nobody-knows") is None
    assert Money(shown=False).of("gpt-5") is None


@pytest.mark.parametrize("text", ["cheap", "claude*=", "-1", "nan", "inf", "="])
def test_an_invalid_price_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(SettingsError, match="PATTERN=USD"):
        Money().with_prices([text])
