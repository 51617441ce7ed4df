"""Parse JSON with comments and trailing commas.

The parser replaces both by spaces, so that an error of the JSON parser names the right line and column of the file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn

# The patterns also match a string or comment that does not end, so that they read each character once. The JSON
# parser then reports the error.
_STRING = r'"(?:\\.|[^"\\\n])*+"?'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")
_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
_NOT_NEWLINE = re.compile(r"[^\n]")


def parse(text: str) -> Any:
    """Return the value of a text. Raises ValueError, with line and column if the text is not JSON."""
    return json.loads(without_comments(text), object_pairs_hook=_table, parse_constant=_refuse)


def without_comments(text: str) -> str:
    """Return a text of the same length, with spaces in place of comments and trailing commas."""
    return _COMMA.sub(_blank_comma, _COMMENT.sub(_blank_comment, text))


def comments(text: str) -> dict[int, int]:
    """Return where the comments of a text begin, in order, and where each of them ends."""
    return {found.start(): found.end() for found in _COMMENT.finditer(text) if found[0].startswith("/")}


def _blank_comment(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith('"') or (text.startswith("/*") and not (len(text) > 3 and text.endswith("*/"))):
        return text
    return _NOT_NEWLINE.sub(" ", text)


def _blank_comma(found: re.Match[str]) -> str:
    if found[0] != ",":
        return found[0]
    at = found.start() - 1
    while at >= 0 and found.string[at].isspace():
        at -= 1
    return "," if at >= 0 and found.string[at] in "[{," else " "


def _table(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f'the key "{twice}" occurs twice in one table')
    return table


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
