"""Codex's code mode: JavaScript that calls one tool.

Only a script with a single call whose arguments are literals is taken apart. Any other script stays a shell call
about which nothing is known.
"""

from __future__ import annotations

import json
import re
from typing import Any

from prunus.clients.dialect import InnerCall

_CALL = re.compile(r"\btools\.(\w+)\(\s*")
_KEYED = re.compile(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+("?)')
"""A string; one that does not end is found as well, so that its text is looked at once."""
_PRINTS_ALL = re.compile(r"text\(\s*(?:\w+(?:\.output)?|JSON\.stringify\(\w+\))\s*\)")
_WORKS_ON_IT = re.compile(r"\.(?:slice|split|match|filter|replace|substring|map|trim|includes)\(")


def inner_call(script: str) -> InnerCall | None:
    """The call in a script, if there is exactly one and its arguments are literals."""
    calls = list(_CALL.finditer(script))
    if len(calls) != 1 or (script.count("tools.") != 1 and not _only_in_strings(script)):
        return None
    arguments = _literal(script[calls[0].end() :])
    if arguments is None:
        return None
    outside = script[: calls[0].start()] + script[calls[0].end() + arguments[1] :]
    shows_all = _PRINTS_ALL.search(outside) is not None and _WORKS_ON_IT.search(outside) is None
    return InnerCall(calls[0][1], arguments[0], shows_all)


def _only_in_strings(script: str) -> bool:
    return _STRING.sub(lambda found: '""' if found[1] else found[0], script).count("tools.") == 1


def _literal(text: str) -> tuple[dict[str, Any] | str, int] | None:
    """A JSON value at the front of a text, or an object whose keys have no quotes."""
    if text[:1] == '"':
        found = _STRING.match(text)
        try:
            return (json.loads(found[0], strict=False), found.end()) if found and found[1] else None
        except (ValueError, RecursionError):
            return None
    if text[:1] != "{":
        return None
    decoder = json.JSONDecoder(strict=False)
    try:
        value, end = decoder.raw_decode(text)
        return value, end
    except (ValueError, RecursionError):
        pass
    end = _STRING.sub(lambda found: "x" * len(found[0]) if found[1] else found[0], text).find("}") + 1
    body = text[:end]
    strings = iter([found[0] for found in _STRING.finditer(body) if found[1]])
    bare = _STRING.sub(lambda found: "\0" if found[1] else found[0], body)
    quoted = "".join(
        next(strings, piece) if piece == "\0" else piece for piece in re.split("(\0)", _KEYED.sub(r'\1"\2":', bare))
    )
    try:
        value = decoder.decode(quoted)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None
