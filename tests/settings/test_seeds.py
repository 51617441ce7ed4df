"""Each key of acp.jsonc has the effect that the plugin's documents describe."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prunus.cli.main import main
from prunus.errors import SettingsError
from prunus.settings import Settings, load
from prunus.settings.acp import AGGRESSIVE, IMPLIED, MOVED, NEVER, PROTECTED, SHORTHANDS


def acp(tmp_path: Path, text: str) -> Settings:
    return load(write(tmp_path / "acp.jsonc", text)).settings


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def running(settings: Settings) -> set[str]:
    return {strategy.name for strategy in settings.active_strategies()}


ACP = running(Settings.preset("acp"))


def test_an_empty_file_is_the_preset_acp(tmp_path: Path) -> None:
    assert acp(tmp_path, "{}") == Settings.preset("acp")


def test_a_file_may_choose_another_preset(tmp_path: Path) -> None:
    assert acp(tmp_path, '{"preset": "smart"}') == Settings.preset("smart")


def test_a_disabled_plugin_prunes_nothing_whatever_else_the_file_says(tmp_path: Path) -> None:
    settings = acp(tmp_path, '{"enabled": false, "strategies": {"deduplication": {"enabled": true}}}')
    assert running(settings) == set()


@pytest.mark.parametrize(("key", "name"), AGGRESSIVE.items())
def test_a_switch_turns_its_strategy_off(tmp_path: Path, key: str, name: str) -> None:
    settings = acp(tmp_path, f'{{"strategies": {{"aggressivePruning": {{"{key}": false}}}}}}')
    assert running(settings) == ACP - {name}


@pytest.mark.parametrize(("key", "name"), AGGRESSIVE.items())
def test_a_switch_turns_its_strategy_on(tmp_path: Path, key: str, name: str) -> None:
    text = f'{{"preset": "off", "strategies": {{"aggressivePruning": {{"{key}": true}}}}}}'
    assert running(acp(tmp_path, text)) == {name}


@pytest.mark.parametrize(
    ("level", "off"),
    [
        ("compact", set()),
        ("balanced", {"old_code_blocks", "old_errors"}),
        ("verbose", set(AGGRESSIVE.values())),
    ],
)
def test_a_level_sets_all_ten_switches(tmp_path: Path, level: str, off: set[str]) -> None:
    settings = acp(tmp_path, f'{{"strategies": {{"aggressivePruning": {{"preset": "{level}"}}}}}}')
    assert running(settings) == ACP - off


def test_a_switch_overrides_the_level(tmp_path: Path) -> None:
    switches = '"preset": "verbose", "pruneFiles": true, "truncateOldErrors": true'
    settings = acp(tmp_path, f'{{"strategies": {{"aggressivePruning": {{{switches}}}}}}}')
    assert running(settings) & set(AGGRESSIVE.values()) == {"old_attachments", "old_errors"}


def test_supersede_reads_treats_edits_like_writes() -> None:
    settings = Settings(strategies={"supersedeReads": {"enabled": True}})
    assert settings.strategies.stale_reads.enabled
    assert settings.strategies.stale_reads.after_edits


def test_supersede_reads_may_be_turned_off(tmp_path: Path) -> None:
    settings = acp(tmp_path, '{"strategies": {"supersedeReads": {"enabled": false}}}')
    assert running(settings) == ACP - {"stale_reads"}


def test_deduplication_may_be_turned_off(tmp_path: Path) -> None:
    settings = acp(tmp_path, '{"strategies": {"deduplication": {"enabled": false}}}')
    assert running(settings) == ACP - {"duplicate_calls"}


@pytest.mark.parametrize(
    ("cut", "purge", "expected"),
    [
        (True, True, (True, 3, 4)),
        (True, False, (True, 3, NEVER)),
        (None, False, (True, 3, NEVER)),
        (None, True, (True, 3, 4)),
        (False, True, (True, NEVER, 4)),
        (False, None, (False, 3, 4)),
        (False, False, (False, 3, NEVER)),
    ],
)
def test_text_and_input_of_errors_have_a_switch_each(
    cut: bool | None, purge: bool | None, expected: tuple[bool, int, int]
) -> None:
    strategies: dict[str, Any] = {}
    if cut is not None:
        strategies["aggressivePruning"] = {"truncateOldErrors": cut}
    if purge is not None:
        strategies["purgeErrors"] = {"enabled": purge}
    section = Settings(preset="acp", strategies=strategies).strategies.old_errors
    assert (section.enabled, section.turns, section.inputs) == expected


def test_purge_errors_sets_when_error_inputs_are_pruned() -> None:
    settings = Settings(strategies={"purgeErrors": {"enabled": True, "turns": 9}})
    assert settings.strategies.old_errors.inputs == 9


def test_tools_protected_by_an_acp_key_still_supersede_others() -> None:
    section = Settings(protectedTools=["write"], tools={"settings": {"protectedTools": ["edit", "write"]}})
    assert section.guards.protected_tools.victims == ("write", "edit")
    assert section.guards.protected_tools.triggers == ()


def test_protected_file_patterns_are_protected_paths() -> None:
    assert Settings(protectedFilePatterns=["**/x"]) == Settings(protected_paths=["**/x"])


@pytest.mark.parametrize(
    ("protection", "turns"),
    [
        ({"enabled": True, "turns": 6}, 6),
        ({"enabled": True}, 4),
        ({"enabled": False, "turns": 6}, 0),
        ({"turns": 6}, 6),
    ],
)
def test_turn_protection_counts_only_when_enabled(protection: dict[str, object], turns: int) -> None:
    assert Settings(turnProtection=protection).guards.recent_turns.turns == turns


def test_acp_keys_set_notification_and_manual_mode() -> None:
    settings = Settings(pruneNotification="detailed", manualMode={"enabled": True, "automaticStrategies": False})
    assert settings == Settings(notification="detailed", manual={"enabled": True, "automatic_strategies": False})


def test_a_toml_file_may_use_acp_keys(tmp_path: Path) -> None:
    path = write(tmp_path / "prunus.toml", "[strategies.aggressivePruning]\npruneFiles = false\n")
    assert Settings.load(path) == Settings(strategies={"old_attachments": {"enabled": False}})


def test_repeating_the_default_list_of_acp_changes_nothing(tmp_path: Path) -> None:
    names = ", ".join(f'"{name}"' for name in sorted([*PROTECTED, "lookup"]))
    settings = acp(tmp_path, f'{{"tools": {{"settings": {{"protectedTools": [{names}]}}}}}}')
    victims = set(settings.guards.protected_tools.victims)
    assert victims == {"lookup", "task", "batch", "plan_enter", "plan_exit", "context_info", "context_prune"}


def test_each_strategy_has_its_protected_tools() -> None:
    settings = Settings(
        strategies={
            "purgeErrors": {"enabled": True, "protectedTools": ["edit"]},
            "deduplication": {"enabled": True, "protectedTools": ["lookup", "mcp__*"]},
        },
        commands={"protectedTools": ["bash"]},
    )
    strategies = settings.strategies
    assert strategies.old_errors.protected == ("edit",)
    assert strategies.duplicate_calls.protected == ("lookup", "mcp__*")
    assert strategies.asked.unswept == ("bash",)


def test_supersede_writes_is_a_strategy_of_its_own(tmp_path: Path) -> None:
    settings = acp(tmp_path, '{"strategies": {"supersedeWrites": {"enabled": true}}}')
    assert running(settings) == ACP | {"old_writes"}


@pytest.mark.parametrize("place", [(), ("tools",), ("tools", "settings")], ids=["top", "tools", "settings"])
def test_an_acp_key_shows_distillations_in_the_notification(place: tuple[str, ...]) -> None:
    given: dict[str, Any] = {"distill": {"showDistillation": True}}
    for step in reversed(place):
        given = {step: given}
    assert Settings(**given).show_distillation
    assert not Settings().show_distillation


def test_debug_logs_every_edit() -> None:
    assert Settings(debug=True).proxy.verbose
    assert not Settings(debug=False).proxy.verbose


@pytest.mark.parametrize("name", ["dcp.json", "dcp.jsonc"])
def test_the_file_of_the_other_plugin_is_found_too(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, '{"protectedFilePatterns": ["**/x"]}')
    assert Settings.discover(tmp_path, tmp_path / "user") == Settings(preset="acp", protected_paths=["**/x"])


SAME = [
    ("autoUpdate", False, True, "Prunus does not update itself"),
    ("pruneNotificationType", "chat", "toast", "toasts are drawn by OpenCode's window"),
    ("compress", {"permission": "deny"}, {"permission": "allow"}, "Prunus has no compress tool"),
    ("experimental", {"customPrompts": False}, {"customPrompts": True}, "the texts of Prunus cannot be replaced"),
]


@pytest.mark.parametrize(("key", "allowed", "refused", "reason"), SAME, ids=[key for key, *_ in SAME])
def test_a_key_that_can_have_no_effect_is_refused_with_the_reason(
    tmp_path: Path, key: str, allowed: Any, refused: Any, reason: str
) -> None:
    path = tmp_path / "dcp.jsonc"
    assert Settings.load(write(path, json.dumps({key: allowed}))) == Settings.preset("acp")
    write(path, json.dumps({key: refused}))
    with pytest.raises(SettingsError) as caught:
        Settings.load(path)
    [line] = str(caught.value).split("\n")
    assert line.startswith(f"{path}: {key}") and reason in line
    checked = CliRunner().invoke(main, ["config", "check", str(path)])
    assert (checked.exit_code, line in checked.output) == (2, True)


@pytest.mark.parametrize(("allowed", "chosen"), [(True, "prune"), (False, "skip")])
def test_an_acp_key_allows_sub_agents(allowed: bool, chosen: str) -> None:
    assert Settings(preset="acp", experimental={"allowSubAgents": allowed}).subagents == chosen


@pytest.mark.parametrize("place", [(), ("tools",), ("tools", "settings")], ids=["top", "tools", "settings"])
def test_acp_keys_set_what_the_agent_may_do(place: tuple[str, ...]) -> None:
    given: dict[str, Any] = {
        "todoReminder": {
            "enabled": True,
            "initialTurns": 5,
            "repeatTurns": 3,
            "stuckTaskTurns": 9,
            "maxContextTokens": 7,
        },
        "automataMode": {"enabled": True, "initialTurns": 7},
        "discard": {"enabled": False},
        "distill": {"enabled": False},
        "enableAssistantMessagePruning": False,
        "enableReasoningPruning": False,
        "enableVisibleAssistantHashes": False,
    }
    for step in reversed(place):
        given = {step: given}
    settings = Settings(**given)
    reminders, asked = settings.reminders, settings.strategies.asked
    assert (reminders.todo, reminders.todo_after, reminders.todo_every, reminders.stuck_after) == (True, 5, 3, 9)
    assert (reminders.reflection, reminders.reflection_after, reminders.max_context) == (True, 7, 7)
    assert not (asked.discard or asked.distill or asked.messages or asked.thinking or settings.agent.own_ids)


def test_an_acp_key_switches_commands_off() -> None:
    assert not Settings(commands={"enabled": False}).agent.commands


def test_a_problem_is_reported_under_the_name_in_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path / "acp.jsonc", '{"strategies": {"purgeErrors": {"turns": "four"}}, "pruneNotification": "on"}'
    )
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert str(caught.value).split("\n") == [
        f"{path}: pruneNotification = \"on\": expected 'off', 'minimal' or 'detailed'",
        f'{path}: strategies.purgeErrors.turns = "four": expected a whole number',
    ]


@pytest.mark.parametrize(
    ("strategies", "complaint"),
    [
        ({"aggressivePruning": {"preset": "wild"}}, "expected one of compact, balanced, verbose"),
        ({"aggressivePruning": {"truncateOldErrors": "yes"}}, "expected true or false"),
        ({"aggressivePruning": {"pruneFiles": "yes"}}, "expected true or false"),
        ({"aggressivePruning": {"pruneFile": True}}, "unknown key; did you mean pruneFiles?"),
        ({"aggressivePruning": True}, "expected a table"),
        ({"purgeErrors": {"enabled": None}}, "expected true or false"),
    ],
)
def test_a_wrong_value_of_an_acp_key_is_reported(strategies: dict[str, object], complaint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings(strategies=strategies)
    [line] = str(caught.value).split("\n")
    assert line.endswith(complaint)


def test_every_acp_key_maps_to_an_existing_setting() -> None:
    plain = Settings().dump()
    for place in (*MOVED.values(), *IMPLIED.values(), *SHORTHANDS.values()):
        value: Any = plain
        for step in place:
            value = value[step]
