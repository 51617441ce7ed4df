"""What stays of a text that goes, before the note below it is written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sketch:
    """What to show of a text."""

    shown: tuple[str, ...]
    kept: int
    """How many of the lines that are shown are lines of the text."""
    total: int
    """How many lines the text has."""
    where: str = ""
    """Which lines of its file the text has, such as `17-310`; empty if that is not known."""
