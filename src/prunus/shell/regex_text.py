"""The plain text inside a regular expression: what stands in a file for the expression to find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_TOKEN: Final = re.compile(r"\\.|\[\^?\]?[^\]]{0,200}\]|\{\d{1,9},?\d{0,9}\}|.", re.S)
_GROUPING: Final = frozenset("(){}+?|")
_ANCHORS: Final = frozenset("^$")


def plain_texts(expression: str, *, extended: bool) -> Iterator[str]:
    """The stretches of plain text in an expression, in order.

    A dot that is not repeated counts as a dot, because authors who search for code seldom escape dots. `extended`
    says that brackets and signs group and repeat unless they are escaped, as in Python and `sed -E`; in plain `sed`
    they do so only if they are escaped.
    """
    run = ""
    for token in _TOKEN.findall(expression):
        found = _found_by(token, extended)
        if found is not None:
            run += found
            continue
        # The character in front of `*` and `?` may be missing.
        yield run[:-1] if token in (("*", "?") if extended else ("*", "\\?")) or token[0] == "{" else run
        run = ""
    yield run


def _found_by(token: str, extended: bool) -> str | None:
    """The text that a token finds; None if it finds several texts, or only a place."""
    sign = token[0]
    if len(token) == 1:
        return None if sign == "*" or sign in _ANCHORS or (extended and sign in _GROUPING) else sign
    if sign == "{":
        return None if extended else token
    if sign == "[":
        return token[1] if len(token) == 3 and token[1] != "^" else None
    character = token[1]
    if character in _GROUPING:
        return character if extended else None
    return None if character.isalnum() or character in "<>" else character
