"""The command line: a file for each command, or for several that belong together."""

from __future__ import annotations

from prunus.cli.main import main

__all__ = ["main"]
