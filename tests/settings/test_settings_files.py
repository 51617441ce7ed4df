"""Files, directories, levels and options."""

from pathlib import Path

import pytest

from prunus.errors import SettingsError
from prunus.settings import Settings, discover, load


@pytest.fixture
def user(tmp_path: Path) -> Path:
    path = tmp_path / "user"
    path.mkdir()
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    (path / ".git").mkdir(parents=True)
    return path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def complaints(path: Path) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(path)
    return str(caught.value).split("\n")


def test_a_toml_file_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "prunus.toml", 'preset = "smart"\n[strategies.old_results]\nkeep = 3\n')
    assert Settings.load(path) == Settings(preset="smart", strategies={"old_results": {"keep": 3}})


@pytest.mark.parametrize("name", ["prunus.json", "prunus.jsonc"])
def test_a_jsonc_file_is_read_with_its_comments(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, '{\n  // few turns\n  "turn_protection": 2,\n}')
    assert Settings.load(path) == Settings(turn_protection=2)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "prunus.toml", "\ufeffturn_protection = 2")
    assert Settings.load(path).guards.recent_turns.turns == 2


def test_the_table_of_pyproject_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n[tool.prunus]\nturn_protection = 2\n")
    assert Settings.load(path) == Settings(turn_protection=2)


def test_a_pyproject_without_the_table_is_refused_when_named(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n")
    assert complaints(path) == [f"{path}: no settings here; expected a table [tool.prunus]"]


def test_files_of_a_directory_are_merged_in_order(tmp_path: Path) -> None:
    acp = write(tmp_path / "acp.jsonc", '{"pruneNotification": "off", "turnProtection": {"turns": 1}}')
    pyproject = write(tmp_path / "pyproject.toml", "[tool.prunus]\nturn_protection = 2\nlimits.body = 7\n")
    toml = write(tmp_path / "prunus.toml", "turn_protection = 3")
    loaded = load(tmp_path)
    assert loaded.sources == (acp, pyproject, toml)
    assert loaded.settings == Settings(preset="acp", notification="off", turn_protection=3, limits={"body": 7})


def test_a_directory_without_settings_is_refused_when_named(tmp_path: Path) -> None:
    [line] = complaints(tmp_path)
    assert "no settings here; expected dcp.json, dcp.jsonc, acp.json, acp.jsonc, pyproject.toml" in line


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "prunus.toml"
    assert complaints(path) == [f"{path}: no such file or directory"]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "prunus.yaml", "a: 1")
    assert complaints(path) == [f"{path}: expected a file that ends in .toml, .json or .jsonc"]


@pytest.mark.parametrize(
    ("name", "text", "at"),
    [
        ("prunus.toml", "a = 1\nb = = 2\n", "2:5"),
        ("prunus.toml", 'a = 1\nb = "open', "2:10"),
        ("prunus.jsonc", '{\n  // x\n  "a": oops\n}', "3:8"),
        ("acp.json", "{", "1:2"),
    ],
)
def test_a_syntax_error_names_line_and_column(tmp_path: Path, name: str, text: str, at: str) -> None:
    path = write(tmp_path / name, text)
    [line] = complaints(path)
    assert line.startswith(f"{path}:{at}: ")


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prunus.toml"
    path.write_bytes(b'a = "\xff"')
    assert complaints(path) == [f"{path}: not UTF-8 at byte 5"]


@pytest.mark.parametrize("text", ["[1]", "5", "null"])
def test_a_file_that_holds_no_table_is_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "prunus.json", text)
    assert complaints(path) == [f"{path}: {text}: expected a table of settings"]


def test_a_missing_path_is_missing_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "nowhere"
    assert complaints(path) == [f"{path}: no such file or directory"]


def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "prunus.json", "[" * 100_000)
    assert complaints(path) == [f"{path}: nested too deeply"]


def test_a_deep_table_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "prunus.json", '{"a":' * 900 + "1" + "}" * 900)
    [line] = complaints(path)
    assert "unknown key" in line or "nested too deeply" in line


def test_problems_of_all_files_are_raised_together(user: Path, project: Path) -> None:
    mine = write(user / "prunus.toml", "notification = 1\nturn_protectoin = 2\n")
    acp = write(project / "acp.json", "{")
    theirs = write(project / "pyproject.toml", "[tool.prunus]\nlimits.body = -1\n")
    with pytest.raises(SettingsError) as caught:
        discover(project, user, ["preset=best", "nonsense"])
    assert str(caught.value).split("\n") == [
        f"{mine}: notification = 1: expected 'off', 'minimal' or 'detailed'",
        f"{mine}: turn_protectoin = 2: unknown key; did you mean turn_protection?",
        f"{acp}:1:2: Expecting property name enclosed in double quotes",
        f"{theirs} [tool.prunus]: limits.body = -1: expected 0 or more",
        "option: nonsense: expected key=value",
        "option: preset = \"best\": expected 'auto', 'acp', 'smart' or 'off'",
    ]


def test_without_files_the_defaults_apply(user: Path, project: Path) -> None:
    loaded = discover(project, user)
    assert loaded.settings == Settings()
    assert loaded.sources == ()


def test_project_files_override_user_files(user: Path, project: Path) -> None:
    mine = write(user / "prunus.toml", "turn_protection = 1\nlimits.idle = 5\n")
    theirs = write(project / "prunus.toml", "turn_protection = 2")
    loaded = discover(project, user)
    assert loaded.settings == Settings(turn_protection=2, limits={"idle": 5})
    assert loaded.sources == (mine, theirs)


def test_a_later_preset_replaces_an_earlier_one_but_not_explicit_values(user: Path, project: Path) -> None:
    write(user / "prunus.toml", 'preset = "acp"\nstrategies.old_thinking.enabled = true\n')
    write(project / "prunus.toml", 'preset = "off"\nstrategies.old_errors.enabled = true\n')
    settings = Settings.discover(project, user)
    assert settings.base == "off"
    assert {strategy.name for strategy in settings.active_strategies()} == {"old_thinking", "old_errors"}


def test_a_project_without_a_preset_keeps_that_of_the_user(user: Path, project: Path) -> None:
    write(user / "prunus.toml", 'preset = "smart"')
    write(project / "prunus.toml", "turn_protection = 1")
    assert Settings.discover(project, user).base == "smart"


def test_settings_are_found_above_the_start(user: Path, project: Path) -> None:
    path = write(project / "prunus.toml", "turn_protection = 2")
    deep = project / "src" / "deep"
    deep.mkdir(parents=True)
    assert discover(deep, user).sources == (path,)


def test_only_the_nearest_directory_counts(user: Path, project: Path) -> None:
    write(project / "prunus.toml", "turn_protection = 2")
    near = write(project / "src" / "acp.json", "{}")
    assert discover(project / "src", user).sources == (near,)


def test_a_pyproject_without_the_table_does_not_end_the_search(user: Path, project: Path) -> None:
    far = write(project / "prunus.toml", "turn_protection = 2")
    write(project / "src" / "pyproject.toml", "[project]\nname = 'x'\n")
    assert discover(project / "src", user).sources == (far,)


def test_nothing_is_read_above_the_repository(user: Path, project: Path) -> None:
    write(project.parent / "prunus.toml", "turn_protection = 2")
    assert discover(project, user).sources == ()


def test_nothing_is_read_above_the_home(user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "prunus.toml", "turn_protection = 2")
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    assert discover(home / "work", user).sources == ()


def test_a_pyproject_in_the_directory_of_the_user_is_not_read(user: Path, project: Path) -> None:
    write(user / "pyproject.toml", "[tool.prunus]\nturn_protection = 2\n")
    assert discover(project, user).sources == ()


def test_a_directory_of_the_user_that_is_the_project_is_read_once(project: Path) -> None:
    path = write(project / "prunus.toml", "turn_protection = 2")
    assert discover(project, project).sources == (path,)


@pytest.mark.parametrize(
    ("options", "same"),
    [
        (["strategies.old_errors.turns=2"], {"strategies": {"old_errors": {"turns": 2}}}),
        (["limits.body=1_000"], {"limits": {"body": 1000}}),
        (["strategies.old_todos.enabled = false"], {"strategies": {"old_todos": {"enabled": False}}}),
        (["notification=off"], {"notification": "off"}),
        (["preset=smart"], {"preset": "smart"}),
        (['protected_tools=["a", "b"]'], {"protected_tools": ["a", "b"]}),
        (["protected_tools=['a']"], {"protected_tools": ["a"]}),
        (["tools=[{name = 'x', kind = 'read'}]"], {"tools": [{"name": "x", "kind": "read"}]}),
        (["protected_paths=['a=b']"], {"protected_paths": ["a=b"]}),
        (["manualMode.enabled=true"], {"manual": {"enabled": True}}),
        (["turn_protection=1", "turn_protection=2"], {"turn_protection": 2}),
    ],
)  # fmt: skip
def test_an_option_sets_one_value(user: Path, project: Path, options: list[str], same: dict[str, object]) -> None:
    assert Settings.discover(project, user, options) == Settings(**same)


def test_an_option_overrides_the_files(user: Path, project: Path) -> None:
    write(project / "prunus.toml", 'preset = "acp"\nturn_protection = 2\n')
    settings = Settings.discover(project, user, ["turn_protection=5", "preset=auto"])
    assert settings == Settings(turn_protection=5)
