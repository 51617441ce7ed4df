import json
from collections.abc import Callable

import pytest
from click.testing import Result

from prunus.settings.presets import PRESETS
from prunus.strategies import ALL
from prunus.strategies.strategy import Strategy

Run = Callable[..., Result]


def test_the_list_has_every_strategy_in_order(run: Run) -> None:
    lines = run("strategies").stdout.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [strategy.name for strategy in ALL]
    assert all(strategy.seed in line for strategy, line in zip(ALL, lines, strict=True))


def test_on_and_off_follow_the_settings(run: Run) -> None:
    for preset, chosen in PRESETS.items():
        pages = json.loads(run("strategies", "--preset", preset, "--json").stdout)
        assert {page["name"] for page in pages if page["on"]} == set(chosen)


def test_nothing_is_on_when_pruning_is_off(run: Run) -> None:
    assert " on " not in run("strategies", "--set", "enabled=false").stdout


@pytest.mark.parametrize("strategy", ALL, ids=lambda strategy: strategy.name)
def test_every_strategy_has_a_page_with_documented_fields(run: Run, strategy: type[Strategy]) -> None:
    page = json.loads(run("strategies", strategy.name, "--json").stdout)
    assert page["doc"]
    assert page["seed"] == strategy.seed
    assert all(field["doc"] for field in page["fields"])
    shown = run("strategies", strategy.name).stdout
    assert " ".join(page["doc"].split()) in " ".join(shown.split())
    assert all(f"  {field['name']} = " in shown for field in page["fields"])


def test_a_page_tells_the_value_in_force_from_the_default(run: Run) -> None:
    shown = run("strategies", "old_errors", "--set", "strategies.old_errors.turns=8").stdout
    assert "  turns = 8  (default 3)" in shown


def test_a_page_names_the_presets(run: Run) -> None:
    assert "In the presets: smart\n" in run("strategies", "middle_reads").stdout


@pytest.mark.parametrize(
    ("name", "meant"),
    [("stale_read", "stale_reads"), ("pruneRetryPart", "retried_errors"), ("longoutputs", "long_outputs")],
)
def test_an_unknown_name_gets_a_suggestion(run: Run, name: str, meant: str) -> None:
    result = run("strategies", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"did you mean {meant}?" in result.stderr


def test_a_strategy_may_be_named_with_hyphens(run: Run) -> None:
    assert run("strategies", "stale-reads").stdout == run("strategies", "stale_reads").stdout


def test_each_paragraph_of_a_strategy_page_is_one_line(run: Run) -> None:
    lines = run("strategies", "old_errors").stdout.splitlines()
    assert any(line.startswith("The first line says") and line.endswith("call goes too.") for line in lines)
