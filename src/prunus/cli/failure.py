"""What ends a command: the input or the settings cannot be used."""

from __future__ import annotations

import click

__all__ = ["Failure"]


class Failure(click.ClickException):
    """Something that was given is wrong; said on standard error, exit code 2."""

    exit_code = 2
