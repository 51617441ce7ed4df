"""JSON with comments and trailing commas.

Both are blanked out with spaces, so that an error of the JSON parser names the line and column of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn

__all__ = ["parse"]

_STRING = r'"(?:\\.|[^"\\\n])*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*[\s\S]*?\*/")
_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
_NOT_NEWLINE = re.compile(r"[^\n]")


def parse(text: str) -> Any:
    """The value that the text holds; raises ValueError, with line and column if it is not JSON."""
    plain = _COMMA.sub(_blank_comma, _COMMENT.sub(_blank_comment, text))
    return json.loads(plain, object_pairs_hook=_table, parse_constant=_refuse)


def _blank_comment(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else _NOT_NEWLINE.sub(" ", found[0])


def _blank_comma(found: re.Match[str]) -> str:
    if found[0] != ",":
        return found[0]
    before = found.string[: found.start()].rstrip()
    return "," if before.endswith(("[", "{", ",")) else " "


def _table(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'the key "{twice}" stands twice in one table')
    return table


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
