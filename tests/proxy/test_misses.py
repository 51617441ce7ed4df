"""Why a request missed the prompt cache."""

from __future__ import annotations

import pytest

from prunus.outcome import Continuation
from prunus.proxy.misses import Miss, held_by, miss_of
from prunus.store import Usage

GOES_ON = Continuation("c1", gap=10.0)
HELD = 50_000.0


def missed(usage: Usage, continues: Continuation = GOES_ON, held: float | None = HELD, **more: object) -> Miss:
    return miss_of([usage], held, continues, 300.0, **more)  # type: ignore[arg-type]


def test_tokens_found_in_the_cache_are_not_missed() -> None:
    assert missed(Usage(10, 50_000, 2_000, 0)) == Miss()


def test_a_new_conversation_misses_all_that_it_writes() -> None:
    assert missed(Usage(10, 0, 9_000, 0), Continuation(), None) == Miss(9_010, "first")


def test_a_prompt_that_conversations_share_is_not_missed() -> None:
    assert missed(Usage(10, 20_000, 9_000, 0), Continuation(), None) == Miss(9_010, "first")


def test_a_client_that_begins_anew_in_its_session_has_compacted() -> None:
    assert missed(Usage(10, 0, 9_000, 0), Continuation(), None, compacted=True).reason == "compacted"


@pytest.mark.parametrize(
    ("continues", "reason"),
    [
        (Continuation("c1", left=4, gap=10.0), "forked"),
        (Continuation("c1", gap=10.0, changed=True), "prompt"),
        (Continuation("c1", gap=301.0), "expired"),
        (GOES_ON, "unknown"),
    ],
)
def test_the_reason_for_a_miss(continues: Continuation, reason: str) -> None:
    assert missed(Usage(10, 0, 52_000, 0), continues) == Miss(50_000, reason)


def test_a_cut_is_charged_for_the_cached_tokens_behind_it() -> None:
    # 8,000 tokens went; of the 42,000 that are left, 30,000 stand before the cut.
    assert missed(Usage(10, 30_000, 14_000, 0), cut=8_000.0) == Miss(12_000, "cut")


def test_a_few_tokens_less_are_a_matter_of_blocks() -> None:
    assert missed(Usage(10, 49_500, 2_500, 0)) == Miss()


def test_without_the_request_before_only_an_empty_cache_tells() -> None:
    assert missed(Usage(10, 40_000, 2_000, 0), held=None) == Miss()
    assert missed(Usage(10, 0, 42_000, 0), Continuation("c1", gap=900.0), None) == Miss(42_010, "expired")


def test_a_request_without_usage_tells_nothing() -> None:
    assert miss_of([], HELD, GOES_ON, 300.0) == Miss()


def test_a_provider_holds_all_read_and_written_tokens_after_an_answer() -> None:
    assert held_by(Usage(10, 40_000, 2_000, 7)) == 42_000
    # A provider whose cache works by itself names no writes.
    assert held_by(Usage(2_000, 40_000, 0, 7)) == 42_000
