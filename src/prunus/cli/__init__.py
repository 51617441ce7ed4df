"""The command line: one command per file."""

from __future__ import annotations

from prunus.cli.main import main

__all__ = ["main"]
