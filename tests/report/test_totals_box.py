from dataclasses import replace

from prunus.report.bill import bill_of
from prunus.report.funnel import Funnel
from prunus.report.totals_box import stats_box, totals_record
from prunus.schedule.dollars import Money
from prunus.spending import DayTotals
from prunus.store import Totals, Usage
from prunus.tally import Tally

SESSION = Totals(
    requests=42,
    tokens_before=100_000,
    tokens_after=60_000,
    usage=Usage(1_000, 50_000, 9_000, 2_500),
    cost=30_000.0,
    cost_unpruned=50_000.0,
    cost_of_breaks=4_000.0,
    breaks=2,
    strategies={"old_errors": Tally(3, 900), "duplicate_calls": Tally(12, 8_500)},
    conversations=1,
)
EVER = Totals(requests=900, cost=1_000_000.0, cost_unpruned=900_000.0, conversations=7, errors=2)


def test_the_box_of_a_session() -> None:
    assert stats_box(SESSION, EVER, "3f9a").splitlines() == [
        "Prunus Statistics",
        "────────────────────────────────────────────────────────────",
        "Session 3f9a: 42 requests",
        "  Billed      30k (unpruned 50k)",
        "  Saved       20k (40%), 2 cache breaks of 4k paid",
        "  Pruned      15 items, ~9.4k tokens",
        "  Sent        ~60k tokens in all, 40% less than came",
        "  Provider    1k input, 50k from cache, 9k to cache, 2.5k output",
        "",
        "Strategy Effectiveness:",
        "────────────────────────────────────────────────────────────",
        "  Auto-Supersede        12 prunes, ~8.5k saved ⭐",
        "    🔄 hash             12 prunes, ~8.5k    duplicate_calls",
        "  old_errors             3 prunes, ~900 saved",
        "",
        "All time: 7 sessions, 900 requests",
        "  Billed      1M (unpruned 900k)",
        "  Saved       -100k (-11%)",
        "  Pruned      0 items, ~0 tokens",
        "  Sent        ~0 tokens in all, 0% less than came",
        "  Faults      2 requests went out as they came",
        "",
        "Costs are in uncached input tokens of the model that was asked.",
    ]


def test_without_a_session_all_time_is_shown_once() -> None:
    box = stats_box(None, SESSION)
    assert box.count("All time: 1 session, 42 requests") == 1
    assert "Session " not in box
    assert "duplicate_calls" in box


def test_the_statistics_say_that_nothing_was_pruned() -> None:
    assert "Nothing was pruned yet." in stats_box(None, EVER)


def test_shadow_says_what_would_have_been() -> None:
    box = stats_box(None, SESSION, shadow=True)
    assert "Would save  20k (40%)" in box
    assert "Billed" not in box
    assert "Nothing would have been pruned yet." in stats_box(None, EVER, shadow=True)


def test_the_report_says_that_more_tokens_were_sent_than_came() -> None:
    assert "Sent        ~110k tokens in all, 10% more than came" in stats_box(
        None, replace(SESSION, tokens_after=110_000)
    )


def test_the_record_has_the_net_savings() -> None:
    record = totals_record(SESSION)
    assert record["saved"] == 20_000.0
    assert record["strategies"]["old_errors"] == {"count": 3, "tokens": 900}


def test_the_record_groups_what_was_superseded() -> None:
    groups = totals_record(SESSION)["autoSupersede"]
    assert groups["hash"] == {"count": 12, "tokens": 8_500}
    assert [*groups] == ["hash", "file", "todo", "url", "query", "snapshot", "retry"]
    assert groups["file"] == {"count": 0, "tokens": 0}


def test_the_funnel_is_shown_where_it_is_known() -> None:
    assert "Funnel" not in stats_box(SESSION, EVER, "3f9a")
    funnel = Funnel(1_000, 200, 400, 100, 300)
    assert "Pruning Funnel (newest request):" in stats_box(SESSION, EVER, "3f9a", funnel=funnel)
    assert "Pruning Funnel (newest request of each session):" in stats_box(None, EVER, funnel=funnel)
    assert totals_record(SESSION, funnel)["funnel"]["manual"] == {"tokens": 400, "share": 0.4}
    assert totals_record(SESSION)["funnel"] is None


def test_asking_again_is_taken_off_savings_in_tokens_too() -> None:
    totals = Totals(conversations=1, requests=2, cost=30_000, cost_unpruned=50_000)
    bill = bill_of([DayTotals("", cost=30_000, cost_unpruned=50_000)], Money(shown=False), asking=5_000.0)
    assert (
        "  Saved       15k (30%), 5k for asking again taken off" in stats_box(totals, None, bill=bill).splitlines()
    )
