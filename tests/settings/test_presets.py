"""Presets name existing strategies and fields, and turn on the strategies they promise."""

import dataclasses
from typing import Any, cast, get_args

import pytest
from click import Choice

from prunus.cli.analyze import command as analyze
from prunus.settings import Settings
from prunus.settings.presets import ALLOWED_LOSS, LEVELS, PRESETS, Dial, Preset, strategies_of
from prunus.strategies import ALL, strategy_named


def running(name: str) -> set[str]:
    return {strategy.name for strategy in Settings.preset(name).active_strategies()}


def active(name: str, strategy: str) -> Any:
    [found] = [one for one in Settings.preset(name).active_strategies() if one.name == strategy]
    return found


def test_the_type_names_every_preset() -> None:
    assert get_args(Preset) == tuple(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_names_strategies_and_fields_that_exist(name: str) -> None:
    for strategy, fields in PRESETS[name].items():
        owner = strategy_named(strategy)
        assert owner is not None
        assert fields.keys() <= {field.name for field in dataclasses.fields(cast(Any, owner))}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_runs_exactly_the_strategies_it_names(name: str) -> None:
    assert running(name) == set(strategies_of(name, Settings().level))


@pytest.mark.parametrize("level", get_args(Dial))
def test_a_level_changes_the_preset_auto_alone(level: str) -> None:
    auto, acp = Settings(level=level), Settings(preset="acp", level=level)
    assert {strategy.name for strategy in auto.active_strategies()} == set(strategies_of("auto", level))
    assert acp.active_strategies() == Settings(preset="acp").active_strategies()


def test_each_level_risks_more_than_the_one_before() -> None:
    assert get_args(Dial) == tuple(LEVELS) == tuple(ALLOWED_LOSS)
    risks = [Settings(level=level).strategies.past_tasks.risk for level in LEVELS]
    assert risks == sorted(risks)


def test_a_field_in_the_settings_overrides_the_level() -> None:
    assert Settings(level="lean", strategies={"past_tasks": {"risk": 0.5}}).strategies.past_tasks.risk == 0.5


def test_auto_runs_no_strategy_that_only_counts_calls() -> None:
    off = {strategy.name for strategy in ALL} - running("auto")
    assert off >= {"middle_reads", "old_results", "old_code_blocks"}
    assert running("auto") >= {
        "finished_results",
        "past_tasks",
        "finished_inputs",
        "old_thinking",
        "under_pressure",
    }


def test_auto_uses_the_cache_schedule_and_acp_and_smart_are_eager() -> None:
    assert {name: Settings.preset(name).schedule for name in PRESETS} == {
        "auto": "cache",
        "acp": "eager",
        "smart": "eager",
        "off": "cache",
    }
    assert Settings().schedule == "cache"


def test_explicit_settings_override_those_of_the_preset() -> None:
    assert Settings(preset="acp", schedule="cache").schedule == "cache"
    assert Settings(preset="acp", pressure={"thinking": 7}).active_pressure().thinking == 7


def test_auto_does_not_cut_long_reads() -> None:
    assert "read" not in active("auto", "long_outputs").kinds


def test_auto_keeps_attachments_for_ten_turns() -> None:
    assert active("auto", "old_attachments").turns == 10


def test_acp_treats_an_edit_like_a_write() -> None:
    assert active("acp", "stale_reads").after_edits


def test_acp_keeps_one_view_of_a_file() -> None:
    assert active("acp", "repeated_views").any_operation


def test_acp_runs_the_aggressive_supersede_age_and_pressure_strategies() -> None:
    assert running("acp") == {
        "spent_inputs", "step_markers", "repeated_fetches", "repeated_queries", "old_snapshots",
        "retried_errors", "old_attachments", "old_code_blocks", "old_errors", "repeated_views",
        "duplicate_calls", "stale_reads", "old_todos", "asked", "long_outputs", "old_thinking",
        "under_pressure",
    }  # fmt: skip


def test_smart_shortens_shell_output_only() -> None:
    assert active("smart", "long_outputs").kinds == ("shell",)


def test_smart_compresses_edits_only_in_very_long_sessions() -> None:
    assert running("smart") == {"middle_reads", "long_outputs", "old_results", "old_edits", "asked"}
    assert active("smart", "old_edits").turns == 50


def test_acp_has_the_pressure_triggers_of_the_plugin() -> None:
    pressure = Settings.preset("acp").active_pressure()
    assert (pressure.historical, pressure.aggressive, pressure.thinking) == (80_000, 100_000, 20_000)
    assert not any(Settings.preset(name).active_pressure().triggered for name in PRESETS if name != "acp")


def test_the_preset_off_runs_no_strategy() -> None:
    assert running("off") == set()


def test_the_command_line_offers_every_level() -> None:
    [level] = [option for option in analyze.params if option.name == "level"]
    assert isinstance(level.type, Choice)
    assert tuple(level.type.choices) == tuple(LEVELS)
