"""What ends a command early: the input or the settings cannot be used, or the user interrupts it."""

from __future__ import annotations

import sys
from typing import IO, Any

import click

from prunus.printable import printable


class Failure(click.ClickException):
    """Something that was given is wrong; said on standard error, exit code 2."""

    exit_code = 2

    def format_message(self) -> str:
        return printable(self.message, keep="\n")

    def show(self, file: IO[Any] | None = None) -> None:
        from prunus.cli.table import say

        say(f"Error: {self.format_message()}", err=True)


class Interruption(click.ClickException):
    """The user pressed Ctrl-C; said in one line on standard error, exit code 130 as shells have it."""

    exit_code = 130

    def show(self, file: IO[Any] | None = None) -> None:
        # In a terminal the line begins with the ^C that the user has typed.
        start = "\n" if sys.stderr.isatty() else ""
        click.echo(f"{start}Interrupted{f': {self.message}' if self.message else ''}.", file=file, err=True)
