"""The command-line options that choose settings."""

from collections.abc import Callable

import pytest
from click.testing import Result

Run = Callable[..., Result]


@pytest.mark.parametrize(
    "command", ["run", "proxy", "prune", "explain", "context", "strategies", "doctor", "config show"]
)
def test_every_command_with_a_preset_takes_a_schedule(run: Run, command: str) -> None:
    shown = run(*command.split(), "--help").stdout
    assert "--preset" in shown
    assert "--schedule" in shown


@pytest.mark.parametrize(
    ("given", "schedule"),
    [
        (("--preset", "acp"), "eager"),
        (("--preset", "acp", "--schedule", "cache"), "cache"),
        (("--schedule", "cache", "--set", "schedule=manual"), "manual"),
    ],
)
def test_schedule_replaces_that_of_the_preset_and_gives_way_to_a_setting(
    run: Run, given: tuple[str, ...], schedule: str
) -> None:
    shown = run("config", "show", *given).stdout
    assert f'schedule = "{schedule}"' in shown
    assert ('agent.offer = "hidden"' in shown) == ("acp" in given)


def test_an_unknown_schedule_is_named(run: Run) -> None:
    result = run("config", "show", "--schedule", "never")
    assert result.exit_code == 2
    assert "schedule" in result.stderr
