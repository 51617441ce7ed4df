"""The options that several commands share: which settings, which format."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prunus.cli.failure import Failure

if TYPE_CHECKING:
    from prunus.settings import Loaded


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--preset, --schedule, --set and --config; the schedule reaches the command as one of its `sets`."""

    @wraps(command)
    def with_schedule(*given: Any, schedule: str | None, sets: tuple[str, ...], **more: Any) -> Any:
        return command(*given, sets=(*([f"schedule={schedule}"] if schedule is not None else []), *sets), **more)

    decorated: Callable[..., Any] = with_schedule
    for option in (
        click.option(
            "--config",
            metavar="PATH",
            type=click.Path(path_type=Path),
            help="Settings file or directory, instead of those found from here upward.",
        ),
        click.option(
            "--set", "sets", metavar="KEY=VALUE", multiple=True, help="One setting for this run; may be repeated."
        ),
        click.option("--schedule", metavar="NAME", help="When edits are made: cache, eager, pressure or manual."),
        click.option("--preset", metavar="NAME", help="Preset to start from: auto, acp, smart or off."),
    ):
        decorated = option(decorated)
    return decorated


format_option = click.option(
    "--format", "format_", metavar="NAME", help="Format of the request; recognised if not given."
)


def load_settings(config: Path | None, preset: str | None, sets: tuple[str, ...]) -> Loaded:
    """The settings in force; ends the program with all problems if there are any."""
    from prunus.errors import SettingsError
    from prunus.settings import discover, load

    overrides = (*([f"preset={preset}"] if preset is not None else []), *sets)
    try:
        loaded = discover(Path.cwd(), overrides=overrides) if config is None else load(config, overrides)
        loaded.settings.counter()
    except SettingsError as error:
        lines = str(error).splitlines()
        shown = "\n".join(f"  {line}" for line in lines)
        raise Failure(f"{len(lines)} problem{'s' * (len(lines) > 1)} in the settings\n{shown}") from error
    return loaded
