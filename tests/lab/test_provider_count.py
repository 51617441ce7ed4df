"""Recorded sessions are counted as the provider counted them, where the recording says so."""

from __future__ import annotations

import pytest

from prunus.lab.cost import ProviderCount, provider_count
from prunus.lab.replay import Replay, Sent


def replayed(*tokens: int) -> Replay:
    """Requests that grow, each of which finds the one before it in the cache."""
    before = (0, *tokens)
    return Replay("none", tuple(Sent((), now, then, 0, 1.0) for now, then in zip(tokens, before, strict=False)))


def test_system_text_and_tools_are_what_the_provider_counts_beyond_the_messages() -> None:
    found = provider_count((21_100, 22_200, 33_200), replayed(1_000, 2_000, 12_000))
    assert found == ProviderCount(pytest.approx(1.1), 20_000, known=True)


def test_system_text_and_tools_are_cached_from_the_second_request_on() -> None:
    sent = ProviderCount(1.1, 20_000, known=True).of(replayed(1_000, 2_000)).requests
    assert [(one.tokens, one.cached) for one in sent] == [(21_100, 0), (22_200, 21_100)]


def test_a_short_session_says_nothing_about_the_tokenizer() -> None:
    assert provider_count((5_000, 5_900), replayed(1_000, 1_500)) == ProviderCount(1.0, 4_200, known=True)


def test_the_rate_of_a_tokenizer_is_bounded() -> None:
    assert provider_count((5_000, 100_000), replayed(1_000, 5_000)).rate == 2.0


def test_without_counts_the_estimates_stay() -> None:
    requests = replayed(1_000, 2_000)
    assert provider_count((), requests) == provider_count((0, 0), requests) == ProviderCount()
    assert ProviderCount().of(requests) is requests


def test_counts_behind_a_cut_tell_nothing() -> None:
    counts = (21_100, 22_200, 33_200, 15_000, 16_000)
    whole = provider_count(counts, replayed(1_000, 2_000, 12_000, 13_000, 14_000))
    assert whole == ProviderCount(pytest.approx(1.1), 20_000, known=True)
