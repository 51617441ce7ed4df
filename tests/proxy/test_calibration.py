"""The proxy learns from a provider's answers how the provider counts tokens."""

import random

import pytest

from prunus.proxy.calibration import Calibration, Rates, Weight


def taught(rates: Rates, noise: float = 0.0, requests: int = 40) -> Calibration:
    """What was learnt from requests that a provider counts at these rates."""
    chance = random.Random(7)
    learnt = Calibration()
    for _ in range(requests):
        tokens = chance.choice((40, 150, 900, 4000))
        weight = Weight(tokens, round(tokens * chance.uniform(2.5, 5.0)) + 200)
        learnt.learn("m", weight, rates.measure(weight) * chance.uniform(1 - noise, 1 + noise))
    return learnt


def test_nothing_is_known_of_a_new_model() -> None:
    assert Calibration().rates("m") == Rates(1.0, 0.0)
    assert taught(Rates(1.2, 0.0)).rates("other") == Rates(1.0, 0.0)


@pytest.mark.parametrize("rates", [Rates(1.2, 0.0), Rates(0.0, 0.25), Rates(0.6, 0.1)])
def test_both_rates_are_found(rates: Rates) -> None:
    found = taught(rates).rates("m")
    assert (found.token, found.byte) == pytest.approx((rates.token, rates.byte), abs=0.005)


def test_texts_are_measured_in_spite_of_noise() -> None:
    found = taught(Rates(1.1, 0.02), noise=0.1).rates("m")
    for text in (Weight(5000, 20_000), Weight(5000, 14_000)):
        assert found.measure(text) == pytest.approx(Rates(1.1, 0.02).measure(text), rel=0.05)


def test_a_whole_request_teaches_the_rate_of_the_providers_count() -> None:
    learnt = Calibration()
    learnt.learn("m", Weight(10_000, 45_000), 12_000, whole=True)
    assert learnt.rates("m").measure(Weight(1_000, 4_500)) == pytest.approx(1_200)


def test_differences_outweigh_whole_requests() -> None:
    learnt = Calibration()
    for _ in range(5):
        learnt.learn("m", Weight(10_000, 45_000), 7_000, whole=True)
        learnt.learn("m", Weight(1_000, 4_000), 1_200)
    assert learnt.rates("m").measure(Weight(5_000, 20_000)) == pytest.approx(6_000, rel=0.01)


def test_counts_of_something_else_are_not_learnt() -> None:
    learnt = Calibration()
    for tokens, billed in ((0, 5), (5, 0), (10, 1_000), (1_000, 10), (-100, 50)):
        learnt.learn("m", Weight(tokens, 4 * tokens), billed)
    assert learnt.rates("m") == Rates()


def test_rates_without_bytes_are_those_of_tokens() -> None:
    learnt = Calibration()
    learnt.learn("m", Weight(100, 0), 130)
    assert learnt.rates("m") == Rates(1.3)
