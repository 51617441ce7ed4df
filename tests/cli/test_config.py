import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from prunus.settings import Settings

Run = Callable[..., Result]


def test_show_prints_settings_that_can_be_read_again(run: Run) -> None:
    shown = run("config", "show", "--preset", "acp").stdout
    assert tomllib.loads(shown) == Settings.preset("acp").dump()


def test_show_says_where_a_value_comes_from(run: Run) -> None:
    Path("prunus.toml").write_text('preset = "acp"\nstrategies.old_errors.turns = 7\n')
    lines = run("config", "show", "--set", "turn_protection=2").stdout.splitlines()
    here = Path("prunus.toml").resolve()
    assert lines[0] == f"# read: {here}"
    assert f"strategies.old_errors.turns = 7  # {here}" in lines
    assert "guards.recent_turns.turns = 2  # option" in lines
    assert "strategies.stale_reads.after_edits = true  # preset acp" in lines
    assert 'words = "seeds"  # preset acp' in lines
    assert "strategies.old_errors.inputs = 4" in lines


def test_show_in_json_holds_sources_and_settings(run: Run) -> None:
    shown = json.loads(run("config", "show", "--json").stdout)
    assert shown == {"sources": [], "settings": Settings().dump()}


def test_schema_is_that_of_the_settings(run: Run) -> None:
    assert json.loads(run("config", "schema").stdout) == Settings.schema()


def test_check_says_ok_and_lists_the_files(run: Run) -> None:
    Path("acp.jsonc").write_text('{"autoUpdate": false, /* fine */ "pruneNotification": "off",}')
    result = run("config", "check")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "ok")
    assert "# read: " in result.stdout


def test_check_lists_every_problem(run: Run) -> None:
    Path("mine.toml").write_text('preset = "nope"\nstrategies.old_errors.turns = -1\nstrategis = 1\n')
    result = run("config", "check", "mine.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "3 problems" in result.stderr
    assert result.stderr.count("mine.toml") == 3


def test_check_without_files_is_ok(run: Run) -> None:
    assert run("config", "check").stdout == "ok\n# no settings file, built-in values\n"


def test_init_writes_a_file_that_changes_nothing(run: Run) -> None:
    assert run("config", "init").exit_code == 0
    assert Settings.load("prunus.toml") == Settings()


def test_init_does_not_overwrite_unless_forced(run: Run) -> None:
    Path("prunus.toml").write_text("enabled = false\n")
    refused = run("config", "init")
    assert (refused.exit_code, Path("prunus.toml").read_text()) == (2, "enabled = false\n")
    assert run("config", "init", "--force").exit_code == 0
    assert Settings.load("prunus.toml").enabled


def test_init_into_a_directory(run: Run) -> None:
    Path("sub").mkdir()
    assert run("config", "init", "sub").stdout == "wrote sub/prunus.toml\n"
    assert Path("sub/prunus.toml").is_file()


def test_init_writes_nothing_but_toml(run: Run) -> None:
    assert run("config", "init", "prunus.json").exit_code == 2
    assert not Path("prunus.json").exists()


def test_check_says_where_a_longer_life_of_the_cache_has_no_effect(run: Run) -> None:
    Path("prunus.toml").write_text('cache.lifetime = "auto"\n')
    assert "# cache.lifetime: takes effect only in the proxy" in run("config", "check").stdout


def test_check_refuses_more_keep_alive_requests_than_pay(run: Run) -> None:
    Path("prunus.toml").write_text("cache.keep_alive = 4\n")
    result = run("config", "check")
    assert result.exit_code == 2
    assert "cache.keep_alive = 4: expected 3 or less" in result.output


def test_show_hides_tokens_keys_and_passwords(run: Run) -> None:
    key = "cGx1bXBsdW1wbHVtcGx1bXBsdW1wbHVtcGx1bXBsdW0="
    sets = (f"store.key={key}", "proxy.token=plumtoken", "store.url=redis://anna:plumword@host/0")
    words = [word for one in sets for word in ("--set", one)]
    for shown in (run("config", "show", *words).stdout, run("config", "show", "--json", *words).stdout):
        assert "(set)" in shown
        assert "redis://host/0" in shown
        assert not [secret for secret in (key, "plumtoken", "plumword") if secret in shown]


@pytest.mark.parametrize("password", ["p#plumword", "p?plumword", "p/plumword", "p@q/plumword"])
def test_show_hides_a_password_that_is_not_escaped(run: Run, password: str) -> None:
    """Postgres accepts some of them; other readers of the address take them for options or a path."""
    shown = run("config", "show", "--set", f"store.url=postgresql://anna:{password}@host/db").stdout
    assert 'store.url = "(not shown)"' in shown
    assert "plumword" not in shown


def test_show_has_an_upstream_behind_another_proxy(run: Run) -> None:
    address = "http://127.0.0.1:8787/@groq"
    assert address in run("config", "show", "--set", f"upstreams.anthropic={address}").stdout


@pytest.mark.parametrize(
    ("given", "secret"),
    [
        ("store.key=cGx1bXBsdW0=", "cGx1"),
        ("store.url=postgres://anna:plumword@host/db", "plumword"),
        ("store.url=postgres://host/db?password=plumword", "plumword"),
    ],
)
def test_an_error_about_a_setting_does_not_quote_a_secret(run: Run, given: str, secret: str) -> None:
    shown = run("config", "show", "--set", given)
    assert shown.exit_code == 2
    assert "expected" in shown.stderr
    assert secret not in shown.stderr
