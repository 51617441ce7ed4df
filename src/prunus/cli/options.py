"""What commands share: options, the errors that end a command early, and the name of this very program."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.settings import Loaded, Settings


class Failure(click.ClickException):
    """The user's input is wrong; printed on standard error, exit code 2."""

    exit_code = 2

    def format_message(self) -> str:
        return printable(self.message, keep="\n")

    def show(self, file: IO[Any] | None = None) -> None:
        from prunus.cli.table import say

        say(f"Error: {self.format_message()}", err=True)


def file_failure(name: str, error: OSError) -> Failure:
    """Return the failure to read or to write a file."""
    return Failure(f"{name}: {(error.strerror or str(error)).lower()}")


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


@dataclass(frozen=True, slots=True)
class ChosenSettings:
    """The settings that the options of a command give."""

    config: Path | None = None
    """A settings file or directory, instead of those found from here upward."""
    overrides: tuple[str, ...] = ()
    """Single settings as `key=value`; they go before those of files."""

    def plus(self, *overrides: str) -> ChosenSettings:
        """Return the same with more settings."""
        return replace(self, overrides=(*self.overrides, *overrides))

    def having(self, values: Mapping[str, object]) -> ChosenSettings:
        """Return the same with these settings; None leaves a setting as it is."""
        return self.plus(*(f"{key}={value}" for key, value in values.items() if value is not None))

    def read(self) -> Loaded:
        """Return the settings of the files and of the overrides. Raises SettingsError with all problems."""
        from prunus.settings import discover, load

        if self.config is None:
            loaded = discover(Path.cwd(), overrides=self.overrides)
        else:
            loaded = load(self.config, self.overrides)
        loaded.settings.counter()
        return loaded

    def load(self) -> Loaded:
        """Return the same. Raises Failure with all problems, if there are any."""
        from prunus.errors import SettingsError

        try:
            return self.read()
        except SettingsError as error:
            lines = str(error).splitlines()
            shown = "\n".join(f"  {line}" for line in lines)
            raise Failure(f"{len(lines)} problem{'s' * (len(lines) > 1)} in the settings\n{shown}") from error


def own_settings() -> Settings:
    """Return the settings of the user and of the folder. Raises Failure with all problems, if there are any."""
    return ChosenSettings().load().settings


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --preset, --level, --schedule, --set and --config; the command gets them as one value `chosen`."""

    @wraps(command)
    def with_chosen(*given: Any, config: Path | None, sets: tuple[str, ...], **more: Any) -> Any:
        own = {key: more.pop(key) for key in ("preset", "level", "schedule")}
        return command(*given, chosen=ChosenSettings(config).having(own).plus(*sets), **more)

    decorated: Callable[..., Any] = with_chosen
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


upstream_option = click.option(
    "--upstream", "upstreams", metavar="NAME=URL", multiple=True, help="Where requests go; may be repeated."
)
format_option = click.option(
    "--format", "format_", metavar="NAME", help="Format of the request; recognised if not given."
)


def agent_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """Return the agents whose name begins with what was typed."""
    from prunus.clients.launcher import launchers

    return [name for name in launchers() if name.startswith(start)]


def own_command() -> list[str]:
    """Return the words that start this Prunus from anywhere."""
    started = Path.cwd() / sys.argv[0]
    if started.stem == "prunus" and started.is_file():
        return [str(started)]
    return [sys.executable, "-m", "prunus"]


def own_name() -> str:
    """Return `prunus` if a terminal finds this program by that name, else the path of the program.

    A path inside the current directory is shortened, as in `.venv/bin/prunus`. Started as a module, Prunus is
    `python -m prunus`.
    """
    started = Path(sys.argv[0])
    if started.stem != "prunus" or not started.is_file():
        return f"{shlex.quote(sys.executable)} -m prunus"
    found = shutil.which("prunus")
    # uv puts a program that it starts on the PATH of this one process only.
    if found and "UV" not in os.environ and Path(found).resolve() == started.resolve():
        return "prunus"
    here = Path.cwd()
    path = here / started
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def own_version() -> str:
    """Return the installed version, or an empty string if Prunus runs from its source."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("prunus")
    except PackageNotFoundError:
        return ""
