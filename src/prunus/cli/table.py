"""Tables: drawn by rich in a terminal, plain aligned text elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Final

import click
from rich.cells import cell_len, set_cell_size

__all__ = ["plain", "printable", "show"]

_WIDEST: Final = 48
"""Cells of a column in plain text, the last one aside."""


def show(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    flexible: Collection[int] = (),
) -> None:
    """Print a table to standard output; `right` columns are numbers, `flexible` ones may be folded."""
    if not sys.stdout.isatty():
        click.echo(plain(headings, rows, right=right))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=0)
    for i, heading in enumerate(headings):
        table.add_column(
            heading, justify="right" if i in right else "left", no_wrap=i not in flexible, overflow="fold"
        )
    for row in rows:
        cells = [Text(printable(cell)) for cell in row]
        for cell in cells:
            if cell.plain in ("pruned", "on"):
                cell.stylize("green")
            elif cell.plain == "off":
                cell.stylize("dim")
        table.add_row(*cells)
    Console().print(table)


def plain(headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """A table as aligned text, one line for each row."""
    lines = [[printable(cell) for cell in row] for row in (headings, *rows)]
    last = len(headings) - 1
    widths = [min(_WIDEST, max(cell_len(line[i]) for line in lines)) for i in range(last)]
    return "\n".join(
        "  ".join([*(_fit(line[i], width, i in right) for i, width in enumerate(widths)), line[last]]).rstrip()
        for line in lines
    )


def printable(text: str) -> str:
    """A text without what a terminal would obey: what agents saw may hold escape sequences."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def _fit(text: str, width: int, right: bool) -> str:
    if cell_len(text) > width:
        return set_cell_size(text, width - 1).rstrip() + "…"
    return " " * (width - cell_len(text)) + text if right else set_cell_size(text, width)
