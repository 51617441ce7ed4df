"""Long texts in few words: `<40 lines>`, `<3,000 chars of log>`, `<first 2,000 chars>`, `<size>`, `<outline 15%>`.

The same words always stand for the same text, so `<40 lines>` twice is the same text twice, and
`<40 lines of v1>` another one than `<40 lines of v2>`. What an outline keeps is told by its own tests:
`<outline 15%>` of a log, `<outline 15% listing>`, `<outline 15% code src/app.py from 41>`.
"""

from __future__ import annotations

import re
from typing import cast

from prunus.outlines.outline import Sort, outline

__all__ = ["fill", "filler"]

_FILLER = re.compile(r"<([\d,]+) (lines?|chars?|words?)(?: of ([^<>]+))?>")
_OUTLINE = re.compile(r"<outline (\d+)%(?: (listing|code))?(?: (\S+?))??(?: from (\d+))?>")
_SHARE = re.compile(r"<(first|last) ([\d,]+) chars>")
_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "juniper", "kelp")


def filler(count: int, unit: str, label: str = "") -> str:
    """So many lines, characters or words that say nothing."""
    match unit.rstrip("s"):
        case "line":
            return "\n".join(_line(i, label) for i in range(count))
        case "word":
            return " ".join(_WORDS[(i * 7 + len(label)) % len(_WORDS)] for i in range(count))
    lines: list[str] = []
    length = 0
    while length < count:
        lines.append(_line(len(lines), label))
        length += len(lines[-1]) + 1
    return "\n".join(lines)[:count].ljust(count, ".")


def fill(text: str, whole: str = "") -> str:
    """The text with its fillers written out and `\\n` as line breaks; shares and `<size>` are of `whole`."""
    text = text.replace("\\n", "\n")
    text = text.replace("<size>", str(len(whole)))
    text = _FILLER.sub(lambda found: filler(_number(found[1]), found[2], found[3] or ""), text)
    text = _SHARE.sub(lambda found: _share(whole, found[1], _number(found[2])), text)
    return _OUTLINE.sub(lambda found: _outline(whole, found), text)


def _line(i: int, label: str) -> str:
    tail = f" of {label}" if label else ""
    return f"{_WORDS[i % len(_WORDS)]} {_WORDS[i * 3 % len(_WORDS)]} row {i}{tail}"


def _outline(whole: str, found: re.Match[str]) -> str:
    sort = cast(Sort, found[2] or "log")
    return outline(whole, int(found[1]) / 100, sort, found[3] or "", int(found[4] or 0))


def _share(whole: str, end: str, count: int) -> str:
    return whole[:count] if end == "first" else whole[len(whole) - count :]


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
