"""Keep-alive requests: when they are sent, what they save and cost, and what ends them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prunus.proxy.bills import Bills
from tests.proxy.caller import call, dial
from tests.proxy.pauses import KEY, PausedSession
from tests.upstream.faults import Fault

LONG = 400.0
"""A pause in which the cache expires, unless one keep-alive request is sent."""


def warmed(session: PausedSession) -> PausedSession:
    """A conversation whose user has paused for so long that keep-alive requests would have paid."""
    session.turn()
    session.pause(LONG)
    session.speak()
    assert not session.keep_alives
    return session


def test_a_keep_alive_request_is_the_last_one_without_an_answer(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        last = session.up.requests[-1]
        session.pause(279.0)
        assert not session.keep_alives
        session.pause(1.0)
        [sent] = session.keep_alives
        same = {key: value for key, value in last.body.items() if key not in ("max_tokens", "stream")}
        assert sent.body == {**same, "max_tokens": 0}
        headers = {name.lower(): value for name, value in sent.headers.items()}
        assert (sent.path, headers["authorization"]) == (last.path, f"Bearer {KEY}")
        assert sent.usage.read > 1000
        assert (sent.usage.written, sent.usage.output) == (0, 0)
        assert not session.up.problems


def test_a_keep_alive_request_keeps_the_cache_for_a_user_who_comes_back_late(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        held = session.up.requests[-1].usage
        session.pause(280.0, 120.0)
        session.speak()
        back = session.up.requests[-3]
        assert back.usage.read >= held.read + held.written


def test_the_cache_is_kept_alive_behind_an_answer_that_the_agent_layer_reads(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1, agent={"offer": "hidden"}) as session:
        warmed(session)
        session.pause(280.0)
        assert [sent.usage.read > 1000 for sent in session.keep_alives] == [True]


def test_no_more_keep_alive_requests_are_sent_than_the_settings_allow(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=2) as session:
        session.turn()
        session.pause(800.0)
        session.speak()
        session.pause(*[280.0] * 6)
        assert len(session.keep_alives) == 2


def test_no_keep_alive_request_is_sent_by_default(tmp_path: Path) -> None:
    with PausedSession(tmp_path) as session:
        warmed(session)
        session.pause(280.0, 280.0)
        assert not session.keep_alives


def test_no_keep_alive_request_is_sent_where_pauses_are_short(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=3) as session:
        session.turn()
        session.pause(100.0)
        session.speak()
        session.pause(280.0)
        assert not session.keep_alives


def test_keep_alive_requests_stop_once_they_do_not_pay(tmp_path: Path) -> None:
    """Each pause of two hours costs a keep-alive request for nothing, until the sum says that it is enough."""
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        counts = []
        for _ in range(5):
            session.pause(280.0, 7000.0)
            session.speak()
            counts.append(len(session.keep_alives))
        assert counts[0] == 1
        assert counts[-2] == counts[-1]


def test_no_keep_alive_request_is_sent_while_a_tool_runs(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=3) as session:
        warmed(session)
        session.player.body["messages"].append({"role": "user", "content": "Go on."})
        assert session.step()
        session.settle()
        session.pause(280.0, 280.0)
        assert not session.keep_alives


def test_the_next_request_ends_keep_alive_requests(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=3) as session:
        warmed(session)
        session.pause(200.0)
        session.player.body["messages"].append({"role": "user", "content": "Go on."})
        assert session.step()
        session.settle()
        session.pause(100.0)
        assert not session.keep_alives


def test_a_request_at_another_replica_ends_keep_alive_requests(tmp_path: Path) -> None:
    with PausedSession(tmp_path, replicas=2, keep_alive=3) as session:
        warmed(session)
        session.pause(200.0)
        session.player.url = session.urls[1]
        session.player.body["messages"].append({"role": "user", "content": "Go on."})
        assert session.step()
        session.pause(100.0)
        assert not session.keep_alives


def test_another_replica_knows_that_the_cache_lives(tmp_path: Path) -> None:
    with PausedSession(tmp_path, replicas=2, keep_alive=1) as session:
        warmed(session)
        session.pause(280.0, 120.0)
        session.player.url = session.urls[1]
        session.speak()
        kept = session.apps[1]._tenants[""].pruner._conversations[0].memo
        assert kept.ledger.flushes == ()
        assert session.up.requests[-3].usage.read > 1000


@pytest.mark.parametrize("status", ["429", "529", "500"])
def test_an_error_ends_keep_alive_requests_for_this_pause(tmp_path: Path, status: str) -> None:
    with PausedSession(tmp_path, keep_alive=3) as session:
        session.turn()
        session.pause(1100.0)
        session.speak()
        session.up.fail(Fault(status))
        session.pause(*[280.0] * 4)
        assert not session.keep_alives
        session.speak()
        session.pause(280.0)
        assert len(session.keep_alives) == 1


def test_a_refused_keep_alive_request_is_the_last_of_its_conversation(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=3) as session:
        warmed(session)
        session.up.fail(Fault("401"))
        session.pause(280.0, LONG)
        session.speak()
        session.pause(280.0)
        assert not session.keep_alives


def test_a_rate_limit_of_the_client_ends_keep_alive_requests(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        session.up.fail(Fault("429"))
        other = {**session.player.body, "messages": [{"role": "user", "content": "Something else."}]}
        assert session.player.send(json.dumps(other).encode()).status == 429
        session.settle()
        session.pause(280.0)
        assert not session.keep_alives


def test_no_keep_alive_request_follows_a_client_that_left(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        session.up.pace = 0.05
        session.player.body["messages"].append({"role": "user", "content": "Go on."})
        body = json.dumps({**session.player.body, "stream": True}).encode()
        line = dial(session.urls[0], "/v1/messages", body, f"authorization: Bearer {KEY}")
        line.recv(200)
        line.close()
        session.settle()
        session.pause(280.0)
        assert not session.keep_alives


def test_a_request_with_a_thinking_budget_gets_no_keep_alive_request(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        session.player.body["thinking"] = {"type": "enabled", "budget_tokens": 8000}
        warmed(session)
        session.pause(280.0)
        assert not session.keep_alives


def test_no_keep_alive_request_is_sent_in_shadow_mode(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1, shadow=True) as session:
        warmed(session)
        session.pause(280.0)
        assert not session.keep_alives


def test_stats_show_the_cost_and_the_effect_of_keep_alive_requests(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        for _ in range(3):
            session.pause(280.0, 120.0)
            session.speak()
        kept = session.keep_alives
        assert len(kept) == 3
        cost = sum(0.1 * request.usage.read + request.usage.fresh for request in kept)
        paid, alone = session.paid, session.alone
        totals = session.totals()
        assert totals.keep_alives == 3
        assert totals.cost_of_keep_alives == pytest.approx(cost)
        assert totals.cost == pytest.approx(paid.cost)
        assert totals.cost_unpruned == pytest.approx(alone.cost, rel=0.01)
        assert totals.requests == len(session.up.requests) - 3
        assert totals.saved == pytest.approx(alone.cost - paid.cost, rel=0.05)
        assert totals.saved > 0


def test_metrics_count_keep_alive_requests(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        session.pause(280.0)
        shown = call(session.urls[0], "GET", "/metrics").body.decode()
        assert 'prunus_keep_alives_total{model="claude-sonnet-4-5",status="200"} 1.0' in shown
        assert 'prunus_keep_alive_cost_tokens_total{model="claude-sonnet-4-5"}' in shown


def test_credentials_are_in_no_file_and_leave_memory_with_the_pause(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        assert session.apps[0]._keep_alive._waiting
        session.pause(280.0)
        assert not session.apps[0]._keep_alive._waiting
        session.totals()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_a_request_that_cannot_be_settled_does_not_stay_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def settle(*_: object) -> None:
        raise RuntimeError("a bug of the accounts")

    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        with monkeypatch.context() as patch:
            patch.setattr(Bills, "settle", settle)
            session.speak()
        assert not session.apps[0]._keep_alive._running
        session.speak()
        session.pause(280.0)
        assert len(session.keep_alives) == 1


def test_the_end_of_the_proxy_ends_keep_alive_requests(tmp_path: Path) -> None:
    with PausedSession(tmp_path, keep_alive=1) as session:
        warmed(session)
        waiting = dict(session.apps[0]._keep_alive._waiting)
    assert waiting
    assert all(task.done() for task in waiting.values())
