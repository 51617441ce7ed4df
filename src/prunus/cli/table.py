"""Print tables and text in a terminal of any width, without cropping any cell.

If a table is wider than the terminal, its flexible columns are folded first. If that is not enough, its columns
appear in several tables below each other, each of which repeats the first column.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import click
from rich.cells import cell_len, chop_cells

from prunus.text.printable import printable

_GAP: Final = 2
"""Blanks between two columns."""
_WIDEST: Final = 48
"""Plain text pads a column to at most this width; a longer text moves the rest of its line."""
_NARROWEST: Final = 16
"""The least width of a flexible column."""
_TOGETHER: Final = 20
"""A table in several pieces shows this many rows of each piece before the next rows."""
_JOINTS: Final = re.compile(r"[^-/_]*[-/_]+|[^-/_]+")
_STYLES: Final[Mapping[str, Callable[[str], str]]] = {
    "heading": partial(click.style, bold=True),
    "pruned": partial(click.style, fg="green"),
    "on": partial(click.style, fg="green"),
    "off": partial(click.style, dim=True),
}
"""The styles of cells with certain texts."""


def show(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    flexible: Collection[int] = (),
) -> None:
    """Print a table to standard output; columns in `right` hold numbers, columns in `flexible` may be folded."""
    if not sys.stdout.isatty():
        click.echo(plain(headings, rows, right=right))
        return
    width = shutil.get_terminal_size().columns
    colour = False if os.environ.get("NO_COLOR") else None
    for number, table in enumerate(tables(headings, rows, width, right=right, flexible=flexible)):
        if number:
            click.echo()
        for line in table:
            click.echo(line, color=colour)


def say(text: str, *, err: bool = False) -> None:
    """Print text; in a terminal, fold long lines between words."""
    if (sys.stderr if err else sys.stdout).isatty():
        width = shutil.get_terminal_size().columns
        text = "\n".join(piece for line in text.split("\n") for piece in _indented(line, width))
    click.echo(text, err=err)


def plain(headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """Return a table as aligned text, one line for each row."""
    lines = [[printable(cell) for cell in row] for row in (headings, *rows)]
    last = len(headings) - 1
    widths = [min(_WIDEST, max(cell_len(line[i]) for line in lines)) for i in range(last)]
    return "\n".join(
        (" " * _GAP)
        .join([*(_padded(line[i], width, i in right) for i, width in enumerate(widths)), line[last]])
        .rstrip()
        for line in lines
    )


def tables(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    right: Collection[int] = (),
    flexible: Collection[int] = (),
) -> Iterator[list[str]]:
    """Yield the lines of each piece of a table for a terminal of this width."""
    cells = [[printable(cell) for cell in row] for row in (headings, *rows)]
    wanted = [max(cell_len(row[i]) for row in cells) for i in range(len(headings))]
    pieces = [list(range(len(headings)))]
    least = wanted
    if _total(wanted) > width:
        least = [_least(i, cells, wanted[i], width, right, flexible) for i in range(len(headings))]
        pieces = _pieces(least, width)
    together = _TOGETHER if len(pieces) > 1 else max(1, len(rows))
    for start in range(1, max(2, len(cells)), together):
        for piece in pieces:
            widths = _widths(piece, least, wanted, width)
            lines = list(_lines(cells[0], widths, right, heading=True))
            for row in cells[start : start + together]:
                lines += _lines(row, widths, right)
            yield lines


def fitting_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    right: Collection[int] = (),
    flexible: Collection[int] = (),
    spare: Sequence[int] = (),
) -> list[str]:
    """Return the lines of one table for this width, omitting columns in `spare`, in their order, until it fits."""
    lines: list[str] = []
    for left_out in range(len(spare) + 1):
        columns = [i for i in range(len(headings)) if i not in spare[:left_out]]
        pieces = list(
            tables(
                [headings[i] for i in columns],
                [[row[i] for i in columns] for row in rows],
                width,
                right=[new for new, old in enumerate(columns) if old in right],
                flexible=[new for new, old in enumerate(columns) if old in flexible],
            )
        )
        lines = [line for piece in pieces for line in piece]
        if len(pieces) == 1:
            break
    return lines


def fold(text: str, width: int) -> list[str]:
    """Fold a text between words into lines of at most `width` cells; only longer words are broken inside."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines += _broken(word, width)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _broken(word: str, width: int) -> list[str]:
    """Break a long word into lines, after `-`, `/` or `_` if possible."""
    lines = [""]
    for joint in _JOINTS.findall(word):
        if cell_len(lines[-1] + joint) <= width:
            lines[-1] += joint
        else:
            lines += chop_cells(joint, max(2, width))
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _indented(line: str, width: int) -> list[str]:
    """Fold a line, and indent the new lines like the first."""
    text = line.lstrip(" ")
    indent = " " * min(len(line) - len(text), width // 2)
    return [f"{indent}{piece}" for piece in fold(text, width - len(indent))] if cell_len(line) > width else [line]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _least(
    column: int,
    cells: Sequence[Sequence[str]],
    wanted: int,
    width: int,
    right: Collection[int],
    flexible: Collection[int],
) -> int:
    """Return the least width of a column. Numbers are never folded, but their heading may be."""
    if column in right:
        return max(*(cell_len(row[column]) for row in cells[1:]), *map(cell_len, cells[0][column].split(" ")))
    # An inflexible column gets at most half of the terminal, so that another column fits beside it.
    return min(wanted, _NARROWEST if column in flexible else (width - _GAP) // 2)


def _pieces(least: Sequence[int], width: int) -> list[list[int]]:
    """Distribute the columns over pieces that fit the width; each piece begins with the first column."""
    pieces = [[0]]
    for column in range(1, len(least)):
        piece = [*pieces[-1], column]
        if len(piece) > 2 and _total([least[i] for i in piece]) > width:
            pieces.append([0, column])
        else:
            pieces[-1] = piece
    return pieces


def _widths(piece: Sequence[int], least: Sequence[int], wanted: Sequence[int], width: int) -> dict[int, int]:
    """Return the width of each column of a piece; the columns that want more share the free width."""
    widths = {i: least[i] for i in piece}
    free = max(0, width - _total([*widths.values()]))
    wanting = sorted(piece, key=lambda i: wanted[i] - least[i])
    for done, i in enumerate(wanting):
        more = min(wanted[i] - least[i], free // (len(wanting) - done))
        widths[i] += more
        free -= more
    return widths


def _lines(
    row: Sequence[str], widths: Mapping[int, int], right: Collection[int], *, heading: bool = False
) -> Iterator[str]:
    """Yield the lines of one row, as many as its longest cell needs."""
    folded = {i: fold(row[i], width) for i, width in widths.items()}
    for n in range(max(map(len, folded.values()))):
        shown = []
        for i, lines in folded.items():
            cell = _padded(lines[n] if n < len(lines) else "", widths[i], i in right)
            style = "heading" if heading else row[i]
            shown.append(_STYLES[style](cell) if style in _STYLES else cell)
        yield (" " * _GAP).join(shown).rstrip()


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks
