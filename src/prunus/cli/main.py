"""`prunus`: the group of all commands."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

import click

from prunus.cli.options import Failure, Interruption, own_version
from prunus.errors import PrunusError

_COMMANDS: Final[Mapping[str, str]] = {
    "demo": "Prune a bundled session and show what went and why.",
    "prune": "Prune one request.",
    "explain": "Explain what happens to every part of a request.",
    "strategies": "List the strategies, or show one in full.",
    "replay": "Replay recorded sessions through policies: cost and loss.",
    "analyze": "Show what Prunus would have saved in your own sessions.",
    "report": "Combine the results of several replay or analyze runs.",
    "run": "Start a coding agent behind Prunus.",
    "ab": "Compare an agent with and without Prunus, using a real model.",
    "proxy": "Serve any agent that can be pointed at a base URL.",
    "setup": "Route every session of an agent through the proxy.",
    "dashboard": "Open the dashboard of a running proxy in the browser.",
    "stats": "Show what was saved, in money and tokens.",
    "context": "Show what fills the context of a conversation.",
    "sessions": "List the conversations that the proxy has seen.",
    "receipts": "List the cuts, their reasons, and how to restore them.",
    "restore": "Show the original of a cut, byte for byte.",
    "sweep": "Cut the newest results of a conversation at its next request.",
    "files": "List the files of a session, and how much of each is known.",
    "file-at": "Show what a file contained at some turn of a session.",
    "changelog": "List what a recorded session changed, and why.",
    "mcp": "Offer context_prune to an agent over MCP.",
    "store": "Show, shrink or clear the store.",
    "doctor": "Check clients, settings and upstreams.",
    "config": "Show, check or create settings.",
}
"""All commands in the order of the help."""
_MODULES: Final[Mapping[str, str]] = {
    "explain": "prune",
    "report": "replay",
    "restore": "receipts",
    "sweep": "receipts",
    "file-at": "files",
    "changelog": "files",
}
"""The module of each command that is not in a module of its own name."""


_UNWRITABLE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""The errors of a disk or an output that takes no more; click itself handles the end of a pipe."""


def _drop_output() -> None:
    """Let the rest of the output go nowhere, so that Python does not fail once more when it ends."""
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


class _Commands(click.Group):
    """A group that imports a command only when it is called, so that help is fast."""

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra)
        except OSError as error:
            if isinstance(error, PermissionError) and error.filename is not None:
                click.echo(f"Error: {click.format_filename(error.filename)}: permission denied", err=True)
                sys.exit(Failure.exit_code)
            if error.errno not in _UNWRITABLE:
                raise
            _drop_output()
            place = error.filename or "standard output"
            click.echo(f"Error: {place}: cannot be written: {(error.strerror or '').lower()}", err=True)
            sys.exit(1)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise Interruption(str(interrupt)) from None
        except PrunusError as error:
            raise Failure(str(error)) from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], _COMMANDS, 3)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean {' or '.join(near)}?", ctx) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"prunus.cli.{_MODULES.get(name, name)}")
        command = getattr(module, f"{name.replace('-', '_')}_command" if name in _MODULES else "command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        version = own_version()
        click.echo(f"prunus {version}" if version else "prunus, run from its source")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
)
def main() -> None:
    """Prune the history that an LLM agent sends with each request.

    Start with `prunus demo`: it needs no key, no network and no files of yours.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # The caller closed it.
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character gets a question mark instead of a traceback.
            stream.reconfigure(errors="replace")
