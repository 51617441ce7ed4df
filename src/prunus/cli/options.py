"""The options that several commands share, and the errors that end a command early."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.settings import Loaded


class Failure(click.ClickException):
    """The user's input is wrong; printed on standard error, exit code 2."""

    exit_code = 2

    def format_message(self) -> str:
        return printable(self.message, keep="\n")

    def show(self, file: IO[Any] | None = None) -> None:
        from prunus.cli.table import say

        say(f"Error: {self.format_message()}", err=True)


class Interruption(click.ClickException):
    """The user pressed Ctrl-C; printed as one line on standard error, exit code 130 as in shells."""

    exit_code = 130

    def show(self, file: IO[Any] | None = None) -> None:
        # In a terminal the current line shows the ^C that the user typed.
        start = "\n" if sys.stderr.isatty() else ""
        click.echo(f"{start}Interrupted{f': {self.message}' if self.message else ''}.", file=file, err=True)


money_option = click.option(
    "--money/--no-money", default=True, help="Costs in dollars where prices are known, or in tokens only."
)


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --preset, --level, --schedule, --set and --config; level and schedule become some of the `sets`."""

    @wraps(command)
    def with_sets(*given: Any, level: str | None, schedule: str | None, sets: tuple[str, ...], **more: Any) -> Any:
        own = [f"{key}={value}" for key, value in (("level", level), ("schedule", schedule)) if value is not None]
        return command(*given, sets=(*own, *sets), **more)

    decorated: Callable[..., Any] = with_sets
    for option in (
        click.option(
            "--config",
            metavar="PATH",
            type=click.Path(path_type=Path),
            help="Settings file or directory; by default those in this directory and above.",
        ),
        click.option(
            "--set", "sets", metavar="KEY=VALUE", multiple=True, help="One setting for this run; may be repeated."
        ),
        click.option("--schedule", metavar="NAME", help="When edits are made: cache, eager, pressure or manual."),
        click.option("--level", metavar="NAME", help="How much the preset auto may risk: safe, balanced or lean."),
        click.option("--preset", metavar="NAME", help="Preset to start from: auto, acp, smart or off."),
    ):
        decorated = option(decorated)
    return decorated


format_option = click.option(
    "--format", "format_", metavar="NAME", help="Format of the request; recognised if not given."
)


def overrides(preset: str | None, sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the settings that the options of a command give, as `key=value`."""
    return (*([f"preset={preset}"] if preset is not None else []), *sets)


def read_settings(config: Path | None, given: tuple[str, ...]) -> Loaded:
    """Return the settings of the files and of the overrides `key=value`. Raises SettingsError with all problems."""
    from prunus.settings import discover, load

    loaded = discover(Path.cwd(), overrides=given) if config is None else load(config, given)
    loaded.settings.counter()
    return loaded


def load_settings(config: Path | None, preset: str | None, sets: tuple[str, ...]) -> Loaded:
    """Return the settings for a command. Raises Failure with all problems, if there are any."""
    from prunus.errors import SettingsError

    try:
        return read_settings(config, overrides(preset, sets))
    except SettingsError as error:
        lines = str(error).splitlines()
        shown = "\n".join(f"  {line}" for line in lines)
        raise Failure(f"{len(lines)} problem{'s' * (len(lines) > 1)} in the settings\n{shown}") from error


def agent_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """Return the agents whose name begins with what was typed."""
    from prunus.clients.launcher import launchers

    return [name for name in launchers() if name.startswith(start)]
