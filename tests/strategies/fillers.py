"""Long texts in few words: `<40 lines>`, `<3,000 chars of log>`, `<first 2,000 chars>`, `<size>`.

The same words always stand for the same text, so `<40 lines>` twice is the same text twice, and
`<40 lines of v1>` another one than `<40 lines of v2>`.
"""

from __future__ import annotations

import re

__all__ = ["fill", "filler"]

_FILLER = re.compile(r"<([\d,]+) (lines?|chars?|words?)(?: of ([^<>]+))?>")
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
    return _SHARE.sub(lambda found: _share(whole, found[1], _number(found[2])), text)


def _line(i: int, label: str) -> str:
    tail = f" of {label}" if label else ""
    return f"{_WORDS[i % len(_WORDS)]} {_WORDS[i * 3 % len(_WORDS)]} row {i}{tail}"


def _share(whole: str, end: str, count: int) -> str:
    return whole[:count] if end == "first" else whole[len(whole) - count :]


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))
