"""How a tool shows the lines of a file: numbers, what stands between number and text, what stands around.

The same value reads a result and writes one, so that what is certain of a file can be shown as that agent's own
read tool would show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from prunus.numbers import as_number

__all__ = ["PLAIN", "Numbered", "Style", "numbered"]

_FIRST: Final = re.compile(r"( *)(\d+)(→|\t|\| ?|: |:|\. )")


@dataclass(frozen=True, slots=True)
class Style:
    """One way of showing lines."""

    separator: str = ""
    """Between number and text; empty where lines are not numbered."""
    width: int = 0
    """Of the number, filled from the left."""
    fill: str = " "
    head: str = ""
    """What stands before the first line."""
    foot: str = ""
    """What stands behind the last line; `{total}` is the number of lines in the file."""
    phantom: bool = False
    """A file that ends with a line break is shown with one more, empty line."""

    def show(
        self, lines: Iterable[tuple[int, str]], total: int | None = None, ended: bool | None = None
    ) -> str | None:
        """Lines as the tool would show them; None if that cannot be done, as for gaps between bare lines."""
        given = list(lines)
        if not self.separator and any(b[0] != a[0] + 1 for a, b in pairwise(given)):
            return None
        complete = bool(given) and given[-1][0] == total
        if self.phantom and complete and ended:
            given.append((given[-1][0] + 1, ""))
        shown = "\n".join(map(self._line, given)) if self.separator else "\n".join(text for _, text in given)
        if not self.separator and complete and ended:
            shown += "\n"
        foot = self.foot.replace("{total}", str(total))
        if "{total}" in self.foot and not complete:
            foot = foot[foot.rfind("\n") :] if "\n" in foot else ""
        return f"{self.head}{shown}{foot}"

    def _line(self, line: tuple[int, str]) -> str:
        number = str(line[0])
        return f"{number.rjust(self.width, self.fill)}{self.separator}{line[1]}"


PLAIN: Final = Style()


class Numbered(NamedTuple):
    """Lines that were shown with their numbers."""

    start: int
    texts: tuple[str, ...]
    style: Style
    rest: tuple[str, ...]
    """What came behind them."""


def numbered(lines: Sequence[str], separator: str | None = None) -> Numbered | None:
    """The lines at the front that carry numbers counting up by one; None if the first one does not."""
    first = _FIRST.match(lines[0]) if lines else None
    if first is None or (separator is not None and not first[3].startswith(separator)):
        return None
    mark = separator or first[3]
    start = as_number(first[2])
    texts: list[str] = []
    for number, line in enumerate(lines, start):
        front = line.lstrip(" ")
        digits = str(number)
        padded = front.lstrip("0") if first[2].startswith("0") else front
        if padded.startswith(digits + mark):
            texts.append(padded[len(digits) + len(mark) :].removesuffix("\r"))
        elif padded in (digits, digits + mark.rstrip()):
            texts.append("")
        else:
            break
    width = len(first[1]) + len(first[2])
    style = Style(mark, width if first[1] or first[2].startswith("0") else 0, "0" if first[2][0] == "0" else " ")
    return Numbered(start, tuple(texts), style, tuple(lines[len(texts) :]))
