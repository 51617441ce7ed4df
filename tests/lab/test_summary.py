from collections.abc import Sequence
from dataclasses import replace

import pytest

from bench.measured import by_agent, by_fold, left_out
from prunus.lab.run import Measurement
from prunus.lab.summary import regret, summarise, table

ROW = Measurement(
    session="a", agent="pi", policy="mask:10", prices="0.1/1.25", requests=50, cost=60.0, unpruned=100.0,
    effective=65.0, tokens=40, unpruned_tokens=80, peak=10, unpruned_peak=20, breaks=5, flushes=4, undeclared=5,
    cold=0, invalid=0, lines=10, lines_kept=9, files=5, files_kept=5, soft=20, soft_kept=19,
    in_place=18, lost=1, fold=0,
)  # fmt: skip
OTHER = replace(ROW, session="b", agent="codex", cost=330.0, unpruned=300.0, lines=30, lines_kept=30)


def test_costs_are_summed_before_they_are_compared() -> None:
    [found] = summarise([ROW, OTHER])
    assert found.cost == pytest.approx(390 / 400)
    assert found.lines == pytest.approx(39 / 40)
    assert found.hard == pytest.approx(49 / 50), "lines and files"
    assert (found.conversations, found.requests, found.breaks, found.flushes) == (2, 100, 10.0, 8)


def test_lost_events_are_counted_per_thousand_requests_with_an_interval() -> None:
    [found] = summarise([ROW, replace(ROW, lost=0), replace(ROW, lost=0, requests=100)])
    assert found.lost.value == pytest.approx(5.0)
    assert found.lost.low == 0.0 < found.lost.value < found.lost.high <= 20.0
    assert found.in_place == pytest.approx(18 / 20)


def test_the_worst_session_is_named() -> None:
    [found] = summarise([ROW, OTHER])
    assert (found.worst, found.worst_session) == (pytest.approx(1.1), "b")


def test_without_uses_retention_is_complete() -> None:
    [found] = summarise([replace(ROW, lines=0, lines_kept=0, files=0, files_kept=0)])
    assert (found.hard, found.lines, found.files) == (1.0, 1.0, 1.0)


def test_policies_and_prices_are_kept_apart() -> None:
    rows = [ROW, replace(ROW, policy="none"), replace(ROW, prices="0.5/1.0")]
    assert len(summarise(rows)) == 3


def test_costs_are_summed_for_each_fold() -> None:
    found = by_fold([replace(OTHER, fold=3), ROW])
    assert [(fold, one.cost) for fold, [one] in found.items()] == [(0, pytest.approx(0.6)), (3, pytest.approx(1.1))]


def test_each_fold_is_reported_with_what_was_chosen_on_the_others() -> None:
    """Mask is cheaper in fold 0 and clear in fold 1, so each looks worse where it was not chosen."""
    costs = {("mask", 0): 10.0, ("clear", 0): 20.0, ("mask", 1): 40.0, ("clear", 1): 30.0}
    rows = [replace(ROW, policy=policy, fold=fold, cost=cost) for (policy, fold), cost in costs.items()]

    def cheapest(seen: Sequence[Measurement]) -> str:
        return min(seen, key=lambda row: row.cost).policy

    assert [(row.fold, row.policy) for row in left_out(rows, cheapest)] == [(0, "clear"), (1, "mask")]


def test_costs_are_summed_for_each_agent() -> None:
    assert {agent: found[0].cost for agent, found in by_agent([ROW, OTHER]).items()} == {
        "codex": pytest.approx(1.1),
        "pi": pytest.approx(0.6),
    }


def test_the_table_has_a_line_per_policy_and_a_column_per_price() -> None:
    rows = [
        replace(ROW, prices=prices, policy=policy) for prices in ("0.1/1.25", "0.5/1.0") for policy in ("a", "b")
    ]
    headings, lines = table(summarise(rows))
    assert headings[:3] == ("policy", "0.1/1.25", "0.5/1.0")
    assert [line[:3] for line in lines] == [("a", "0.600", "0.600"), ("b", "0.600", "0.600")]
    assert all(len(line) == len(headings) for line in lines)


def test_the_table_shows_the_worst_retention_of_all_prices() -> None:
    headings, [line] = table(summarise([ROW, replace(ROW, prices="0.5/1.0", lines_kept=4)]))
    assert line[headings.index("lines")] == "0.400"
    assert line[headings.index("hard")] == "0.600"


def test_regret_is_the_cost_over_that_of_a_bound_at_each_price() -> None:
    rows = [ROW, replace(ROW, policy="clairvoyant", cost=50.0), replace(ROW, prices="0.5/1.0")]
    assert regret(summarise(rows), "mask:10", "clairvoyant") == {"0.1/1.25": pytest.approx(1.2)}
