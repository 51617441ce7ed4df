"""The savings that another cache lifetime would have brought, and the choice that follows."""

from __future__ import annotations

import pytest

from prunus.errors import FormatError
from prunus.schedule.cache_life import CacheLife, Following, Hindsight, hindsight_of, keep_alive_after, total
from prunus.schedule.prices import price_of, with_ttl

SHORT = price_of("claude-opus-4-8")
LONG = with_ttl(SHORT, "1h")
FIRST = Following(0.0, False, 50_000, 0)


def after(*pauses: float, answered: bool = True) -> Hindsight:
    """A conversation of 50,000 tokens to which nothing is added, with these pauses."""
    found = Hindsight().add(FIRST, SHORT, SHORT)
    for pause in pauses:
        found = found.add(Following(pause, answered, 50_000, 50_000), SHORT, SHORT)
    return found


def test_writes_cost_more_for_a_lifetime_of_an_hour() -> None:
    assert after().hour == pytest.approx(-0.75 * 50_000)
    assert after(60.0, 60.0).hour == after().hour


def test_an_hour_saves_the_rewrite_after_a_pause() -> None:
    assert after(400.0).hour == pytest.approx((1.15 - 0.75) * 50_000)
    assert after(3600.0).hour == after(400.0).hour


def test_a_pause_of_more_than_an_hour_is_written_again_at_the_dearer_price() -> None:
    assert after(4000.0).hour == pytest.approx(-2 * 0.75 * 50_000)


def test_a_keep_alive_request_saves_the_rewrite_and_costs_one_read() -> None:
    assert after(400.0).kept == pytest.approx((1.05 * 50_000,) * 3)


@pytest.mark.parametrize(
    ("pause", "gains"),
    [
        (250.0, (0.0, 0.0, 0.0)),
        (290.0, (-0.1, -0.1, -0.1)),
        (579.0, (1.05, 0.95, 0.95)),
        (600.0, (-0.1, 0.95, 0.95)),
        (1000.0, (-0.1, -0.2, 0.85)),
        (9000.0, (-0.1, -0.2, -0.3)),
    ],
)
def test_more_keep_alive_requests_bridge_a_longer_pause(pause: float, gains: tuple[float, ...]) -> None:
    assert after(pause).kept == pytest.approx(tuple(50_000 * gain for gain in gains))


def test_no_keep_alive_request_is_counted_while_a_tool_runs() -> None:
    assert after(400.0, answered=False).kept == (0.0, 0.0, 0.0)
    assert after(400.0, answered=False).hour == after(400.0).hour


def test_a_conversation_that_ended_had_its_last_keep_alive_requests_for_nothing() -> None:
    assert after(400.0).ended().kept == pytest.approx(tuple(50_000 * gain for gain in (0.95, 0.85, 0.75)))


def test_sums_of_several_conversations_add_up() -> None:
    both = total([after(400.0), after(9000.0)])
    assert both.hour == pytest.approx(after(400.0).hour + after(9000.0).hour)
    assert both.kept == pytest.approx(tuple(50_000 * gain for gain in (0.95, 0.85, 0.75)))


def test_the_smallest_number_that_pays_most_is_sent() -> None:
    assert CacheLife(own=after(400.0)).keep_alives(3) == 1
    assert CacheLife(own=after(600.0)).keep_alives(3) == 2
    assert CacheLife(own=after(600.0)).keep_alives(1) == 0
    assert CacheLife(own=after(60.0)).keep_alives(3) == 0
    assert CacheLife(own=after(), usual=after(400.0)).keep_alives(3) == 1


def test_a_keep_alive_request_comes_before_the_cache_expires() -> None:
    assert keep_alive_after(SHORT) == pytest.approx(280.0)
    assert keep_alive_after(LONG) == pytest.approx(3360.0)


def test_an_hour_is_chosen_if_it_would_have_paid_for_the_next_write_too() -> None:
    once, twice = CacheLife(own=after(400.0)), CacheLife(own=after(400.0, 400.0))
    assert once.choose("auto", SHORT, 50_000, anew=True) == ""
    assert twice.choose("auto", SHORT, 50_000, anew=True) == "1h"
    assert CacheLife(own=after(), usual=once.own).choose("auto", SHORT, 50_000, anew=True) == ""
    assert CacheLife(usual=twice.own).choose("auto", SHORT, 50_000, anew=True) == "1h"


def test_the_lifetime_stays_while_the_cache_is_warm() -> None:
    pays, not_yet = after(400.0, 400.0), after()
    assert CacheLife(own=pays).choose("auto", SHORT, 50_000, anew=False) == ""
    assert CacheLife("1h", own=not_yet).choose("auto", SHORT, 50_000, anew=False) == "1h"
    assert CacheLife("1h", own=not_yet).choose("auto", SHORT, 50_000, anew=True) == ""


def test_the_marks_of_a_client_that_asks_for_an_hour_stay() -> None:
    assert CacheLife(own=after(400.0, 400.0)).choose("auto", LONG, 50_000, anew=True) == ""
    assert CacheLife().choose("1h", LONG, 50_000, anew=True) == ""


def test_a_provider_without_a_longer_lifetime_is_not_asked_for_one() -> None:
    gemini = price_of("gemini-2.5-pro")
    assert CacheLife(own=after(400.0, 400.0)).choose("1h", gemini, 50_000, anew=True) == ""


def test_the_life_of_a_cache_survives_a_round_trip() -> None:
    life = CacheLife("1h", 12.0, after(400.0), after(9000.0))
    assert CacheLife.load(life.dump(), 12.0) == life
    assert CacheLife().dump() == b""
    assert CacheLife.load(b"", 3.0) == CacheLife(kept=3.0)
    with pytest.raises(FormatError):
        CacheLife.load(b"[1]")


def test_a_life_that_another_version_wrote_does_not_count() -> None:
    life = CacheLife(own=Hindsight(2.0, (1.0, 1.0, 1.0), 10, 1.0))
    assert hindsight_of([b'{"of": "another version"}', life.dump()]) == hindsight_of([life.dump()])
