"""Settings built in Python, and the objects that they create for the pruner."""

import pickle

import pytest

from prunus import guards, strategies
from prunus.calls.meaning import Tool
from prunus.errors import SettingsError
from prunus.settings import Limits, Settings
from prunus.strategies.old_errors import OldErrors


def names(settings: Settings) -> list[str]:
    return [strategy.name for strategy in settings.active_strategies()]


def old_errors(**fields: object) -> dict[str, object]:
    return {"strategies": {"old_errors": fields}}


def complaints(**values: object) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        Settings(**values)
    return str(caught.value).split("\n")


def test_settings_without_values_are_the_preset_auto() -> None:
    assert Settings() == Settings.preset("auto")
    assert Settings().base == "auto"


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().notification = "off"


def test_equal_settings_have_equal_hashes() -> None:
    assert hash(Settings(turn_protection=2)) == hash(Settings(turn_protection=2))


def test_strategies_come_in_the_order_of_the_list() -> None:
    every = {strategy.name: {"enabled": True} for strategy in reversed(strategies.ALL)}
    assert names(Settings(strategies=every)) == [strategy.name for strategy in strategies.ALL]


def test_every_guard_is_active_in_the_order_of_the_list() -> None:
    assert [type(guard) for guard in Settings().active_guards()] == list(guards.ALL)


def test_a_setting_of_a_strategy_reaches_the_strategy() -> None:
    settings = Settings(**old_errors(turns=7))
    assert OldErrors(turns=7) in settings.active_strategies()


def test_an_explicit_value_overrides_the_preset() -> None:
    settings = Settings(preset="off", strategies={"old_errors": {"enabled": True}})
    assert names(settings) == ["old_errors"]


def test_a_field_that_the_preset_does_not_name_has_the_default_of_the_strategy() -> None:
    assert Settings(preset="acp").strategies.old_attachments.turns == 5


def test_a_disabled_prunus_runs_no_strategy() -> None:
    assert names(Settings(enabled=False, strategies={"old_errors": {"enabled": True}})) == []


def test_manual_mode_without_automatic_strategies_runs_only_requested_edits() -> None:
    assert names(Settings(manual={"enabled": True, "automatic_strategies": False})) == ["asked"]
    assert names(Settings(preset="off", manual={"enabled": True, "automatic_strategies": False})) == []


def test_manual_mode_alone_lets_the_strategies_run() -> None:
    assert names(Settings(manual={"enabled": True})) == names(Settings())


def test_automatic_strategies_off_means_nothing_outside_manual_mode() -> None:
    assert names(Settings(manual={"automatic_strategies": False})) == names(Settings())


def test_limits_are_generous_by_default() -> None:
    assert Settings().limits == Limits(body=67_108_864, conversations=1_024, memory=268_435_456, idle=86_400)


def test_a_section_may_be_given_as_an_object() -> None:
    assert Settings(limits=Limits(body=5)).limits.body == 5


def test_a_tool_may_be_given_as_an_object() -> None:
    row = Tool("open_file", "read", path="file", when=("mode", "r"))
    assert Settings(tools=(row,)) == Settings(
        tools=[{"name": "open_file", "kind": "read", "path": "file", "when": ["mode", "r"]}]
    )


def test_a_tool_of_the_user_is_known_to_the_toolbox() -> None:
    toolbox = Settings(tools=[{"name": "peruse", "kind": "read", "path": "scroll"}]).toolbox()
    assert toolbox.meaning("peruse", {"scroll": "/a.txt"}).kind == "read"


def test_the_counter_estimates_by_default() -> None:
    assert Settings().counter().count("") == 0


def test_an_unknown_encoding_is_named_when_the_counter_is_made() -> None:
    with pytest.raises(SettingsError, match="klingon"):
        Settings(tokens={"exact": True, "encoding": "klingon"}).counter()


@pytest.mark.parametrize("name", ["auto", "acp", "smart", "off"])
def test_dumped_settings_build_equal_settings(name: str) -> None:
    settings = Settings(preset=name, protected_tools=["x"], tools=[{"name": "x", "kind": "other"}])
    assert Settings(**settings.dump()) == settings


def test_settings_survive_pickling() -> None:
    settings = Settings(preset="acp", turn_protection=2)
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_a_protected_tool_is_never_cut_and_supersedes_nothing() -> None:
    section = Settings(protected_tools=["Task", "mcp__*"]).guards.protected_tools
    assert section.victims == section.triggers == ("Task", "mcp__*")


@pytest.mark.parametrize(
    ("part", "victims", "triggers"),
    [("victim", ("Edit",), ()), ("trigger", (), ("Edit",)), ("both", ("Edit",), ("Edit",))],
)
def test_a_tool_may_be_protected_as_victim_or_trigger_only(
    part: str, victims: tuple[str, ...], triggers: tuple[str, ...]
) -> None:
    section = Settings(protected_tools=[{"name": "Edit", "as": part}]).guards.protected_tools
    assert (section.victims, section.triggers) == (victims, triggers)


def test_protected_paths_replace_the_built_in_list() -> None:
    assert Settings(protected_paths=["docs/**"]).guards.protected_paths.patterns == ("docs/**",)


def test_turn_protection_is_short_for_a_guard() -> None:
    assert Settings(turn_protection=3).guards.recent_turns.turns == 3


def test_all_problems_are_reported_at_once() -> None:
    found = complaints(preset="best", turn_protection=-1, strategies={"old_errors": {"turns": "two"}})
    assert found == [
        "preset = \"best\": expected 'auto', 'acp', 'smart' or 'off'",
        'strategies.old_errors.turns = "two": expected a whole number',
        "turn_protection = -1: expected 0 or more",
    ]


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"strategys": {}}, "strategys = {}: unknown key; did you mean strategies?"),
        ({"strategies": {"stale_read": {"enabled": True}}}, "did you mean stale_reads?"),
        (old_errors(turn=2), "strategies.old_errors.turn = 2: unknown key; did you mean turns?"),
        ({"old_errors": {"turns": 2}}, "did you mean strategies.old_errors?"),
        ({"turnProtecton": {}}, "did you mean turnProtection?"),
        ({"manualMode": {"enable": True}}, "manualMode.enable = true: unknown key; did you mean enabled?"),
        ({"tools": [{"name": "x", "kind": "read", "pth": 1}]}, "tools[0].pth = 1: unknown key; did you mean path?"),
        ({"zzz": 1}, "zzz = 1: unknown key"),
    ],
)  # fmt: skip
def test_an_unknown_key_is_named_with_the_nearest_known_one(values: dict[str, object], complaint: str) -> None:
    [line] = complaints(**values)
    assert line.endswith(complaint)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"strategies": 5}, "strategies = 5: expected a table"),
        ({"strategies": {"old_errors": False}}, "strategies.old_errors = false: expected a table"),
        (old_errors(enabled=1), "strategies.old_errors.enabled = 1: expected true or false"),
        (old_errors(turns=True), "strategies.old_errors.turns = true: expected a whole number"),
        (old_errors(turns=1.5), "strategies.old_errors.turns = 1.5: expected a whole number"),
        ({"guards": {"minimum_gain": {"tokens": -5}}}, "guards.minimum_gain.tokens = -5: expected 0 or more"),
        ({"proxy": {"drain": -1}}, "proxy.drain = -1: expected 0 or more"),
        ({"proxy": {"workers": 0}}, "proxy.workers = 0: expected 1 or more"),
        ({"proxy": {"deadline": 0}}, "proxy.deadline = 0: expected more than 0"),
        ({"proxy": {"otlp": "collector"}}, 'proxy.otlp = "collector": expected http://HOST or https://HOST'),
        ({"limits": {"body": None}}, "limits.body = null: expected a whole number"),
        ({"notification": "loud"}, "notification = \"loud\": expected 'off', 'minimal' or 'detailed'"),
        ({"protected_paths": "docs"}, 'protected_paths = "docs": expected a list'),
        ({"protected_paths": ["a", 1]}, "protected_paths[1] = 1: expected a text"),
        ({"protected_tools": "Task"}, 'protected_tools = "Task": expected a list of names of tools'),
        ({"tools": 5}, "tools = 5: expected a list"),
        ({"tools": [{"name": "x"}]}, "tools[0].kind: required, but missing"),
        ({"tools": [{"name": "", "kind": "read"}]}, 'tools[0].name = "": expected the name of a tool'),
        ({"manualMode": True}, "manualMode = true: expected a table"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_shown_with_what_is_allowed(values: dict[str, object], complaint: str) -> None:
    assert complaints(**values) == [complaint]


@pytest.mark.parametrize("row", [5, "", {"name": "x", "as": "hero"}, {"name": "x", "is": "victim"}, {"as": "both"}])
def test_a_malformed_row_of_protected_tools_is_shown(row: object) -> None:
    [line] = complaints(protected_tools=["fine", row])
    assert line.startswith("protected_tools[1] = ")
    assert '"victim", "trigger" or "both"' in line


@pytest.mark.parametrize("pattern", ["(", "*", "(?i)late flag"])
def test_a_pattern_that_is_no_regular_expression_is_refused(pattern: str) -> None:
    [line] = complaints(strategies={"repeated_queries": {"patterns": ["fine", pattern]}})
    assert f"{pattern!r} is not a regular expression" in line


def test_patterns_that_do_not_combine_into_one_regex_are_refused() -> None:
    [line] = complaints(strategies={"repeated_queries": {"patterns": ["(?P<a>x)", "(?P<a>y)"]}})
    assert "redefinition of group name" in line


def test_a_glob_that_git_would_refuse_is_refused() -> None:
    [line] = complaints(protected_paths=["fine", "!"])
    assert "'!' is not a pattern of .gitignore" in line


def test_two_names_for_one_setting_may_not_disagree() -> None:
    [line] = complaints(guards={"recent_turns": {"turns": 1}}, turn_protection=2)
    assert line == "turn_protection = 2: guards.recent_turns.turns sets another value"


def test_two_names_for_one_setting_may_agree() -> None:
    assert Settings(guards={"recent_turns": {"turns": 2}}, turn_protection=2) == Settings(turn_protection=2)


def test_a_long_value_is_shortened_in_the_message() -> None:
    [line] = complaints(notification="x" * 500)
    assert len(line) < 150
