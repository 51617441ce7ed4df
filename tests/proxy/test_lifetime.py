"""The lifetime of cache marks: what the proxy asks for, when it changes its mind, and what that costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.proxy.pauses import PausedSession
from tests.upstream import Request

HALF_AN_HOUR = 1800.0


def ttls(request: Request) -> set[str]:
    """The lifetimes for which the cache marks of a request ask."""
    raw = json.dumps(request.body)
    assert raw.count('"cache_control"') == 2
    return {"1h"} if raw.count('"ttl": "1h"') == 2 else {"5m"} if '"ttl"' not in raw else {"mixed"}


def test_marks_are_left_as_they_were_sent_by_default(tmp_path: Path) -> None:
    with PausedSession(tmp_path) as session:
        session.turn()
        session.pause(HALF_AN_HOUR)
        session.speak()
        assert all(ttls(request) == {"5m"} for request in session.up.requests)


def test_an_hour_is_asked_for_with_all_marks(tmp_path: Path) -> None:
    with PausedSession(tmp_path, lifetime="1h") as session:
        session.turn()
        session.pause(HALF_AN_HOUR)
        session.speak()
        assert all(ttls(request) == {"1h"} for request in session.up.requests)
        assert session.up.requests[3].usage.read > 1000
        assert not session.up.problems
        assert not session.up.breaks


def test_auto_asks_for_an_hour_once_pauses_would_have_paid_for_it(tmp_path: Path) -> None:
    with PausedSession(tmp_path, lifetime="auto") as session:
        for _ in range(5):
            session.speak()
            session.pause(HALF_AN_HOUR)
        asked = [ttls(request) for request in session.up.requests]
        first = asked.index({"1h"})
        assert 3 <= first < len(asked) - 3
        assert {"mixed"} not in asked
        # From then on it stays, because the cache is never lost again.
        assert all(ttl == {"1h"} for ttl in asked[first:])
        assert session.up.requests[first].usage.read == 0
        assert all(request.usage.read > 1000 for request in session.up.requests[first + 1 :])
        assert not session.up.problems
        assert not session.up.breaks


def test_auto_leaves_marks_alone_where_pauses_are_short(tmp_path: Path) -> None:
    with PausedSession(tmp_path, lifetime="auto") as session:
        for _ in range(4):
            session.speak()
            session.pause(120.0)
        assert all(ttls(request) == {"5m"} for request in session.up.requests)


def test_auto_leaves_marks_alone_where_pauses_outlast_the_hour(tmp_path: Path) -> None:
    with PausedSession(tmp_path, lifetime="auto") as session:
        for _ in range(4):
            session.speak()
            session.pause(9000.0)
        assert all(ttls(request) == {"5m"} for request in session.up.requests)


def test_replicas_ask_for_the_same_lifetime(tmp_path: Path) -> None:
    def asked(folder: Path, replicas: int) -> list[set[str]]:
        folder.mkdir()
        with PausedSession(folder, replicas=replicas, lifetime="auto") as session:
            for turn in range(5):
                session.player.url = session.urls[turn % replicas]
                session.speak()
                session.pause(HALF_AN_HOUR)
            return [ttls(request) for request in session.up.requests]

    assert asked(tmp_path / "one", 1) == asked(tmp_path / "two", 2)


def test_a_new_conversation_learns_from_the_users_earlier_ones(tmp_path: Path) -> None:
    with PausedSession(tmp_path, lifetime="auto") as session:
        for _ in range(5):
            session.speak()
            session.pause(HALF_AN_HOUR)
        session.player.body["messages"] = [{"role": "user", "content": "Another task, please."}]
        session.turn()
        assert ttls(session.up.requests[-1]) == {"1h"}


def test_shadow_mode_leaves_marks_alone(tmp_path: Path) -> None:
    with PausedSession(tmp_path, lifetime="1h", shadow=True) as session:
        session.turn()
        assert all(ttls(request) == {"5m"} for request in session.up.requests)


@pytest.mark.parametrize("lifetime", ["1h", "auto"])
@pytest.mark.parametrize("preset", ["off", "auto"])
def test_stats_show_what_was_paid_and_what_it_would_have_been(tmp_path: Path, lifetime: str, preset: str) -> None:
    with PausedSession(tmp_path, lifetime=lifetime, preset=preset) as session:
        for _ in range(5):
            session.speak()
            session.pause(HALF_AN_HOUR)
        paid, alone = session.paid, session.alone
        totals = session.totals()
        assert totals.cost == pytest.approx(paid.cost)
        if preset == "off":
            assert totals.cost_unpruned == pytest.approx(alone.cost, rel=0.01)
        assert totals.saved > 0
