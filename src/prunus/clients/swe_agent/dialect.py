"""SWE-agent shows a part of the open file below every command that moves in the file."""

from __future__ import annotations

import re
from typing import Final

from prunus.clients.dialect import Dialect
from prunus.numbers import as_number
from prunus.shown import Shown, numbered, uncut

_FILE: Final = re.compile(r"^\[File: [^\n]+? \((\d+) lines total\)\]$", re.M)
_ABOVE: Final = re.compile(r"\(\d+ more lines? above\)|<<<<< (?:START|END) CURSOR >>>>>")
_OPEN: Final = re.compile(r"^\(Open file: ([^\n]+)\)$", re.M)


def _window(text: str) -> Shown | None:
    if " lines total)]" not in text:
        return None
    heads = list(_FILE.finditer(text))
    opened = _OPEN.search(text)
    if len(heads) != 1 or opened is None:
        return None
    lines = [line for line in text[heads[0].end() + 1 :].split("\n") if not _ABOVE.fullmatch(line)]
    listed = numbered(lines, ":")
    total = as_number(heads[0][1])
    if listed is None or listed.start + len(listed.texts) - 1 > total:
        return None
    return Shown(listed.start, uncut(listed.texts), total, None, listed.style, opened[1].strip())


DIALECT: Final = Dialect(window=_window, open_file=r"^\[File: (\S+) \(\d+ lines total\)\]")
