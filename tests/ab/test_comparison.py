"""The arms are paired by task; intervals are over tasks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from prunus.ab.results import RunResult, planned
from prunus.ab.trial import TYPICAL, ArmFigures, compare, forecast
from prunus.providers.usage import Usage
from prunus.schedule.dollars import Tariff, read_tariff, tariff_of

RUN = RunResult("a", 1, "without", True, 0, False, 60.0, 40, 0, 45, 3, Usage(), 0, 1.0)


def pair(task: str, repeat: int, dollars: tuple[float, float], solved: tuple[bool, bool]) -> list[RunResult]:
    without = replace(RUN, task=task, repeat=repeat, dollars=dollars[0], solved=solved[0])
    return [without, replace(without, arm="behind", dollars=dollars[1], solved=solved[1], rereads=5)]


def figures(*runs: RunResult) -> dict[str, ArmFigures]:
    compared = compare(runs)
    assert compared is not None
    return {figure.name: figure for figure in compared.figures}


def test_dollars_are_a_share_and_solved_a_difference() -> None:
    runs = [*pair("a", 1, (1.0, 0.5), (True, True)), *pair("b", 1, (3.0, 2.5), (True, False))]
    found = figures(*runs)
    assert (found["dollars"].without, found["dollars"].behind, found["dollars"].change) == (4.0, 3.0, 0.75)
    assert (found["dollars"].low, found["dollars"].high) == (0.5, pytest.approx(2.5 / 3.0))
    assert (found["solved"].change, found["solved"].low, found["solved"].high) == (-0.5, -1.0, 0.0)
    assert found["re-reads"].change == 2.0
    compared = compare(runs)
    assert compared is not None
    assert (compared.pairs, compared.tasks) == (2, 2)
    assert (compared.only_without, compared.only_behind) == (("b",), ())


def test_repeats_of_a_task_are_drawn_together() -> None:
    alike = [run for n in (1, 2, 3) for run in pair("a", n, (1.0, 0.5), (True, True))]
    found = figures(*alike, *pair("b", 1, (1.0, 1.0), (True, True)))
    assert (found["dollars"].low, found["dollars"].high) == (0.5, 1.0)


def test_a_run_without_its_partner_does_not_count() -> None:
    assert compare([RUN]) is None
    whole = pair("b", 1, (1.0, 0.5), (True, True))
    assert figures(RUN, *whole)["dollars"].without == 1.0


def test_the_arms_take_turns_in_going_first() -> None:
    order = [(run.task, run.repeat, run.arm) for run in planned(["a", "b"], 2)]
    assert order == [
        ("a", 1, "without"), ("a", 1, "behind"), ("b", 1, "behind"), ("b", 1, "without"),
        ("a", 2, "behind"), ("a", 2, "without"), ("b", 2, "without"), ("b", 2, "behind"),
    ]  # fmt: skip


def test_a_forecast_rests_on_finished_runs_where_there_are_some() -> None:
    first = forecast(4, (), "claude-sonnet-4-5")
    tariff = tariff_of("claude-sonnet-4-5")
    assert tariff is not None
    assert first.dollars == pytest.approx(4 * tariff.dollars(TYPICAL))
    assert forecast(4, [RUN, replace(RUN, dollars=2.0)], "").dollars == 6.0
    assert forecast(4, (), "").dollars is None
    assert forecast(4, (), "mystery").dollars is None


def test_a_tariff_prices_every_kind_of_token() -> None:
    tariff = Tariff(input=1, cache_read=10, cache_write=100, output=1000, long_write=200)
    assert tariff.dollars(Usage(1_000_000, 0, 0, 0)) == 1
    assert tariff.dollars(Usage(0, 100_000, 30_000, 1_000), long_writes=10_000) == pytest.approx(1 + 2 + 2 + 1)


@pytest.mark.parametrize(
    ("model", "prices"),
    [
        ("claude-sonnet-4-5-20250929", (3, 0.3, 3.75, 15)),
        ("anthropic/claude-opus-5.5", (4, 0.2, 5, 20)),
        ("gpt-5.5", (5, 0.5, 5, 30)),
        ("gpt-5", (1.25, 0.125, 1.25, 10)),
        ("openai/gpt-5-mini-2025-08-07", (0.25, 0.025, 0.25, 2)),
        ("gemini-2.5-pro", (1.25, 0.125, 1.25, 10)),
    ],
)
def test_models_are_found_by_name(model: str, prices: tuple[float, ...]) -> None:
    tariff = tariff_of(model)
    assert tariff is not None
    assert (tariff.input, tariff.cache_read, tariff.cache_write, tariff.output) == prices


def test_prices_of_the_user_come_first() -> None:
    own = (read_tariff("gpt-5*=1,2,3,4"),)
    assert tariff_of("gpt-5.5", own) == Tariff(1, 2, 3, 4)
    assert read_tariff("1,2,3,4")[0] == "*"
