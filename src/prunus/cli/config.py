"""`prunus config`: show, check or create settings."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.options import ChosenSettings, Failure, settings_options

if TYPE_CHECKING:
    from prunus.settings import Loaded

_PATH = click.Path(path_type=Path)


@click.group("config")
def command() -> None:
    """Show, check or create settings.

    Prunus reads settings from the user's configuration directory, then from prunus.toml, prunus.jsonc, acp.jsonc
    or dcp.jsonc in the project, or from [tool.prunus] in its pyproject.toml. Options of a command override both.

    \b
    Examples:
      prunus config show
      prunus config check .
      prunus config init
    """


@command.command("show")
@click.argument("path", type=_PATH, required=False)
@settings_options
@click.option("--json", "in_json", is_flag=True, help="As JSON.")
def show(path: Path | None, chosen: ChosenSettings, in_json: bool) -> None:
    """Print the settings in force and where each comes from, without tokens, keys and passwords.

    PATH is a settings file or a directory with some; without it they are searched for from here upward.

    \b
    Examples:
      prunus config show
      prunus config show --preset acp --set notification=detailed
    """
    from prunus.settings.describe import as_toml, flat, mapped, origins
    from prunus.settings.layers import without_secrets

    chosen = replace(chosen, config=path or chosen.config)
    loaded = chosen.load()
    values = loaded.settings.dump()
    if in_json:
        sources = [str(source) for source in loaded.sources]
        shown = mapped(values, without_secrets)
        click.echo(json.dumps({"sources": sources, "settings": shown}, ensure_ascii=False, indent=2))
        return
    click.echo(_read(loaded))
    came = origins(loaded, chosen.overrides)
    for place, value in flat(values):
        key = ".".join(place)
        click.echo(f"{key} = {as_toml(without_secrets(key, value))}{f'  # {came[key]}' if key in came else ''}")


@command.command("schema")
def schema() -> None:
    """Print the JSON schema of a settings file.

    \b
    Example:
      prunus config schema > prunus.schema.json
    """
    from prunus.settings import Settings

    click.echo(json.dumps(Settings.schema(), ensure_ascii=False, indent=2))


@command.command("check")
@click.argument("path", type=_PATH, required=False)
def check(path: Path | None) -> None:
    """Check settings files: lists every problem, or says ok.

    PATH is a settings file or a directory with some; without it they are searched for from here upward.

    \b
    Examples:
      prunus config check
      prunus config check ~/work/app/acp.jsonc
    """
    from prunus.cli.proxy import cache_notes

    loaded = ChosenSettings(path).load()
    click.echo("ok")
    click.echo(_read(loaded))
    for note in cache_notes(loaded.settings):
        click.echo(f"# {note}")


@command.command("init")
@click.argument("path", type=_PATH, default="prunus.toml")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def init(path: Path, force: bool) -> None:
    """Write a prunus.toml with every setting as a comment.

    PATH is the file or its directory, prunus.toml here if it is left out.

    \b
    Examples:
      prunus config init
      prunus config init ~/.config/prunus --force
    """
    from prunus.cli.body import write_body
    from prunus.settings.describe import init_text

    target = path / "prunus.toml" if path.is_dir() else path
    name = click.format_filename(target)
    if target.suffix != ".toml":
        raise Failure(f"{name}: expected a name that ends in .toml")
    if target.exists() and not force:
        raise Failure(f"{name}: is there already; --force replaces it")
    write_body(init_text().encode(), target)
    click.echo(f"wrote {name}")


def _read(loaded: Loaded) -> str:
    if not loaded.sources:
        return "# no settings file, built-in values"
    return "\n".join(f"# read: {click.format_filename(source)}" for source in loaded.sources)
