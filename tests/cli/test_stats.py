import csv
import json
from collections.abc import Callable
from datetime import datetime
from io import StringIO
from pathlib import Path

import pytest
from click.testing import Result

from prunus.store import Usage, open_store
from tests.store.samples import ask, exchange, flush, receipt

Run = Callable[..., Result]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with two sessions, the second one newer."""
    url = f"sqlite:///{tmp_path}/prunus.db"
    store = open_store(url)
    cuts = [receipt("aaaaaa", 2), receipt("bbbbbb", 4)]
    store.record("", exchange("11aa", flush=flush(), cost_of_break=60.0), cuts)
    store.record("", exchange("22bb", 2), [receipt("cccccc", 2, strategy="old_errors")])
    store.close()
    return url


def test_the_newest_session_and_all_time_are_shown(run: Run, url: str) -> None:
    shown = run("stats", "--store", url).stdout
    assert "Session 22bb, claude, claude-sonnet-4-5: 1 request\n" in shown
    assert "old_errors" in shown
    assert "duplicate" not in shown
    assert "All time: 2 sessions, 2 requests" in shown


def test_a_session_is_chosen_by_its_first_digits(run: Run, url: str) -> None:
    shown = run("stats", "11", "--no-money", "--store", url).stdout
    assert "Session 11aa" in shown
    assert "100 (20%), 1 cache break of 60 paid" in shown


def test_all_shows_the_strategies_of_all_sessions(run: Run, url: str) -> None:
    shown = run("stats", "--all", "--store", url).stdout
    assert "Session" not in shown
    assert "old_errors" in shown
    assert "repeated_reads" in shown


def test_json_has_every_number(run: Run, url: str) -> None:
    found = json.loads(run("stats", "--json", "--store", url).stdout)
    assert found["session"]["id"] == "22bb"
    assert found["all"]["requests"] == 2
    assert found["all"]["saved"] == 200.0
    assert found["all"]["usage"]["cache_read"] == 1_000
    assert found["all"]["strategies"]["repeated_reads"] == {"count": 2, "tokens": 180}
    assert found["shadow"]["requests"] == 0


@pytest.fixture
def regretted(tmp_path: Path) -> str:
    """A store in which one strategy is regretted so often that it steps back."""
    url = f"sqlite:///{tmp_path}/prunus.db"
    store = open_store(url)
    cuts = [receipt(f"{n:06}", n, strategy="old_results", kind="read", reuse=0.05) for n in range(2, 62)]
    cuts += [receipt("aaaaaa", 70, strategy="old_errors", kind="shell")]
    store.record("", exchange("11aa"), cuts)
    store.record("", exchange("11aa", 2, asks=tuple(ask(n, "old_results") for n in range(2, 8))))
    store.close()
    return url


def test_stats_show_by_strategy_which_parts_were_asked_for_again(run: Run, regretted: str) -> None:
    shown = run("stats", "--store", regretted).stdout
    assert shown.count("Asked again cut 61 parts, 6 asked for again (9.8 %): old_results 6 of 60\n") == 2
    steps_back = (
        "old_results steps back in new sessions of claude: in 1,000 requests 33.7 of its parts are asked for"
    )
    assert f"{steps_back} again, and 4 are allowed" in " ".join(shown.split())
    assert "claude uses read parts again more often than expected (log-odds +0.22)" in shown


def test_without_learning_nothing_steps_back(
    run: Run, regretted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prunus.toml").write_text("learn = false\n")
    monkeypatch.chdir(tmp_path)
    shown = run("stats", "--store", regretted).stdout
    assert "6 asked for again" in shown
    assert "steps back" not in shown
    assert "learned" not in json.loads(run("stats", "--json", "--store", regretted).stdout)["agents"]["claude"]


def test_json_tells_what_was_asked_for_again(run: Run, regretted: str) -> None:
    found = json.loads(run("stats", "--json", "--store", regretted).stdout)
    asked = found["session"]["asked_again"]
    assert asked == found["all"]["asked_again"] == found["agents"]["claude"]["asked_again"]
    assert asked["strategies"]["old_results"] == {"cut": 60, "expected": 3.0, "asked": 6, "tokens": 600}
    assert asked["kinds"]["shell"] == {"cut": 1, "expected": 0.0, "asked": 0, "tokens": 0}
    assert found["agents"]["claude"]["learned"] == {"offsets": {"read": 0.22}, "stepped_back": ["old_results"]}


def test_the_headroom_of_a_session_is_shown(run: Run, url: str) -> None:
    found = json.loads(run("stats", "--json", "--store", url).stdout)["session"]
    assert found["budget"] == 200_000
    assert f"{found['headroom']:,} left before a summary." in run("stats", "--store", url).stdout
    assert "summary" not in run("stats", "--all", "--store", url).stdout


def test_an_unknown_session_is_an_error(run: Run, url: str) -> None:
    result = run("stats", "99", "--store", url)
    assert result.exit_code == 2
    assert "no session 99" in result.stderr


def test_stats_of_a_shadow_run_are_conditional(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shadow.db"
    store = open_store(url)
    store.record("", exchange("c1", shadow=True), [receipt("aaaaaa")])
    store.close()
    for options in ((), ("--all",)):
        shown = run("stats", *options, "--no-money", "--store", url).stdout
        assert "shadow: nothing was changed" in shown
        assert "Would prune 1 item, ~90 tokens" in shown
        assert "Would send  ~800 tokens in all, 20% less than came" in shown
        assert "Would save  100 (20%)" in shown
        assert "(what each would have pruned)" in shown
        assert "Nothing was pruned" not in shown
        assert not {"Pruned", "Sent", "Billed", "Saved"} & {
            line.split()[0] for line in shown.splitlines() if line.strip()
        }
    found = json.loads(run("stats", "--json", "--store", url).stdout)
    assert (found["session"]["shadow"], found["all"]["requests"], found["all"]["conversations"]) == (True, 0, 0)
    assert (found["shadow"]["requests"], found["shadow"]["conversations"]) == (1, 1)


def test_keep_alive_requests_and_their_cost_are_shown_apart(run: Run, url: str) -> None:
    store = open_store(url)
    ping = exchange("22bb", 2, id="ping", keep_alive=True, tokens_before=0, cost=40.0, cost_unpruned=0.0)
    store.record("", ping)
    store.close()
    shown = run("stats", "--store", url).stdout
    assert "Session 22bb, claude, claude-sonnet-4-5: 1 request\n" in shown
    assert "Kept alive  1 keep-alive request for the prompt cache, 40 of what was billed" in shown
    found = json.loads(run("stats", "--json", "--store", url).stdout)
    for key in ("session", "all"):
        assert (found[key]["keep_alives"], found[key]["cost_of_keep_alives"]) == (1, 40.0)
    assert found["all"]["requests"] == 2


@pytest.fixture
def month(tmp_path: Path) -> str:
    """Requests of two days, two models and two projects, one of which missed the cache."""
    url = f"sqlite:///{tmp_path}/month.db"
    store = open_store(url)
    day = datetime(2026, 10, 30, 12).timestamp()
    dear = {"cost": 400_000.0, "cost_unpruned": 500_000.0, "cost_of_break": 30_000.0}
    store.record("", exchange("11aa", 1, time=day, project="/work/app", missed=300, missed_for="first", **dear))
    more = {"time": day + 3 * 86_400, "project": "/work/app", "usage": Usage(0, 9_000, 3_000, 40)}
    store.record("", exchange("11aa", 2, missed=2_500, missed_for="expired", **more, **dear))
    store.record("", exchange("22bb", 1, time=day + 3 * 86_400, client="codex", model="own-model", **dear))
    store.close()
    return url


def test_money_comes_first(run: Run, month: str) -> None:
    shown = run("stats", "11aa", "--store", month).stdout.splitlines()
    assert shown[3:5] == [
        "  Billed      $2.40 (unpruned $3.00)",
        "  Saved       $0.60 (20%)",
    ]
    assert "No price is known for own-model, so dollars leave it out" in " ".join(shown)


def test_without_money_costs_are_in_tokens(run: Run, month: str) -> None:
    shown = run("stats", "11aa", "--no-money", "--store", month).stdout
    assert "$" not in shown
    assert "Billed      800k (unpruned 1M)" in shown


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("day", [["2026-10-30", "1"], ["2026-11-02", "2"], ["all", "3"]]),
        ("week", [["2026-10-26", "1"], ["2026-11-02", "2"], ["all", "3"]]),
        ("month", [["2026-10", "1"], ["2026-11", "2"], ["all", "3"]]),
        ("project", [["/work/app", "2"], ["(not", "named)"], ["all", "3"]]),
        ("model", [["claude-sonnet-4-5", "2"], ["own-model", "1"], ["all", "3"]]),
        ("agent", [["claude", "2"], ["codex", "1"], ["all", "3"]]),
    ],
)
def test_a_table_by_time_or_name(run: Run, month: str, by: str, rows: list[list[str]]) -> None:
    shown = run("stats", "--by", by, "--store", month).stdout.splitlines()
    assert shown[0].split() == [by, "requests", "came", "sent", "cached", "billed", "unpruned", "saved"]
    assert [line.split()[:2] for line in shown[1:-1]] == rows


def test_a_table_since_a_day(run: Run, month: str) -> None:
    shown = run("stats", "--by", "day", "--since", "2026-11-01", "--store", month).stdout.splitlines()
    assert [line.split()[0] for line in shown[1:-1]] == ["2026-11-02"]
    assert (
        "Nothing since 2027-01-01." in run("stats", "--by", "day", "--since", "2027-01-01", "--store", month).stdout
    )
    wrong = run("stats", "--by", "day", "--since", "soon", "--store", month)
    assert wrong.exit_code == 2
    assert "such as 2026-01-31" in wrong.stderr


def test_an_empty_table_for_programs_holds_no_sentence(run: Run, month: str) -> None:
    nothing = run("stats", "--by", "day", "--since", "2027-01-01", "--csv", "--store", month)
    assert (nothing.stdout, nothing.stderr) == ("", "Nothing since 2027-01-01.\n")
    assert json.loads(run("stats", "--by", "day", "--since", "2027-01-01", "--json", "--store", month).stdout) == []


def test_tables_as_csv_and_json(run: Run, month: str) -> None:
    [app, other] = csv.DictReader(StringIO(run("stats", "--by", "project", "--csv", "--store", month).stdout))
    assert (app["project"], app["requests"], app["dollars_saved"]) == ("/work/app", "2", "0.6")
    assert (other["project"], other["dollars_saved"]) == ("(not named)", "")
    found = json.loads(run("stats", "--by", "model", "--json", "--store", month).stdout)
    assert [one["model"] for one in found] == ["claude-sonnet-4-5", "own-model"]
    assert found[0]["dollars"]["saved"] == pytest.approx(0.6)


def test_why_tokens_were_written_to_the_cache(run: Run, month: str) -> None:
    found = json.loads(run("stats", "--cache", "--json", "--store", month).stdout)
    by = {one["reason"]: (one["requests"], one["tokens"]) for one in found}
    assert by == {"new": (1, 800), "first": (1, 300), "expired": (1, 2_500)}
    # All that the provider wrote: 300, 3,000 and 300.
    assert sum(tokens for _, tokens in by.values()) == 3_600


def test_stats_show_the_savings_of_each_strategy(run: Run, url: str) -> None:
    shown = run("stats", "--by", "strategy", "--store", url).stdout.splitlines()
    assert shown[0].split() == ["strategy", "cuts", "tokens", "kept", "out", "saved", "asked", "again"]
    assert {line.split()[0] for line in shown[1:-1]} == {"old_errors", "repeated_reads"}


def test_options_that_do_not_fit_together_are_refused(run: Run, url: str) -> None:
    for options in (("--by", "day", "--cache"), ("11aa", "--by", "day"), ("--csv",), ("--since", "7d")):
        assert run("stats", *options, "--store", url).exit_code == 2
