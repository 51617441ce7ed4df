"""Lines of a file as a result shows them, with or without their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from prunus.text.numbers import as_number
from prunus.value import value

LONGEST: Final = 1990
"""Characters; most read tools cut lines at 2000."""
_FIRST: Final = re.compile(r"( *)(\d+)(→|\t|\| ?|: |:|\. )")


@value
class Style:
    """One way of showing lines."""

    separator: str = ""
    """Between number and text; empty if lines are not numbered."""
    width: int = 0
    """Width of the number, filled from the left."""
    fill: str = " "

    def show(self, lines: Iterable[tuple[int, str]]) -> str:
        """Numbered lines as the tool would show them."""
        return "\n".join(
            f"{str(number).rjust(self.width, self.fill)}{self.separator}{text}" for number, text in lines
        )


PLAIN: Final = Style()


class Numbered(NamedTuple):
    """Lines that a result shows with their numbers."""

    start: int
    texts: tuple[str, ...]
    style: Style
    rest: tuple[str, ...]
    """The lines behind them."""


def numbered(lines: Sequence[str], separator: str | None = None) -> Numbered | None:
    """The lines at the front that carry numbers counting up by one; None if the first one does not."""
    first = _FIRST.match(lines[0]) if lines else None
    if first is None or (separator is not None and not first[3].startswith(separator)):
        return None
    mark = separator or first[3]
    start = as_number(first[2])
    zeros = first[2].startswith("0")
    texts: list[str] = []
    for number, line in enumerate(lines, start):
        label, found, text = line.partition(mark)
        label = label.lstrip(" ")
        if zeros:
            label = label.lstrip("0")
        if found and label == str(number):
            texts.append(text.removesuffix("\r"))
        elif not found and label in (str(number), f"{number}{mark}".rstrip()):
            texts.append("")
        else:
            break
    width = len(first[1]) + len(first[2])
    style = Style(mark, width if first[1] or zeros else 0, "0" if zeros else " ")
    return Numbered(start, tuple(texts), style, tuple(lines[len(texts) :]))


@value
class Shown:
    """Lines of one file, as a result shows them."""

    start: int
    texts: tuple[str | None, ...]
    total: int | None = None
    """How many lines the file has, where that shows."""
    ended: bool | None = None
    style: Style = PLAIN
    path: str = ""
    """The file, where only the result names it."""


def uncut(lines: Sequence[str]) -> tuple[str | None, ...]:
    """The lines; None for each line that is so long that the tool may have cut it."""
    if max(map(len, lines), default=0) < LONGEST:
        return tuple(lines)
    return tuple(line if len(line) < LONGEST else None for line in lines)


def lines_below(header: re.Match[str]) -> Shown | None:
    """The lines below a header that names the first, the last and the number of all; None if they do not agree.

    The number of all may include an empty last line.
    """
    start, end, total = map(as_number, header.groups())
    lines = [line.removesuffix("\r") for line in header.string[header.end() :].split("\n")]
    size = end - start + 1
    if len(lines) < size or any(lines[size:]):
        return None
    texts = uncut(lines[:size])
    if end == total and texts and texts[-1] == "":
        return Shown(start, texts[:-1], total - 1, True)
    if end == total:
        return Shown(start, texts, total)
    return Shown(start, texts[:-1] if texts[-1] == "" else texts)
