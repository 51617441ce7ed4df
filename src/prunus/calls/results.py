"""Results of calls: the output without the words that agents put around it, and results that stand for others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from prunus.clients.dialect import pattern, words
from prunus.clients.system_reminders import without_reminders, without_tokens_left

_FILE_READERS: Final = frozenset({"Read", "read", "read_file", "view", "view_file", "read_text_file", "ReadFile"})
_COMPARABLE: Final = words("comparable")
_OUTPUTS: Final = words("output")
_HEADED: Final = words("headed")
_LONGEST: Final = 800
_UNCHANGED: Final = re.compile(
    r"\b(?:file|content|contents|output|result)\b[^\n]{0,200}?\b(?:is |has |have |are )?"
    r"(?:unchanged|not (?:been )?(?:changed|modified)|identical)\b"
    r"[^\n]{0,40}?\b(?:since|to|as)\b[^\n]{0,60}?\b(?:last|previous|earlier|prior)\b",
    re.I,
)
_CUT_FIRST: Final = pattern("cut_first", r"\[\.\.\. \d+ characters truncated")
_OFFSET: Final = r"se '?offset'? (?:parameter )?to"
_SHORTENED: Final = r"[^\n)\]>]{0,80}\b(?:T|t)runcated\b"
# Python skips to the characters with which the alternatives begin, if each of them begins with only one.
_CUT_LAST: Final = pattern(
    "cut_last", *(one + _OFFSET for one in "Uu"), *(rf"\{one}" + _SHORTENED for one in "([<")
)
_CUT_WITHIN: Final = pattern("cut_within")
_ID: Final = pattern("process_id", flags=re.I)
_KEYS: Final = tuple(key for keys in words("process_keys") for key in keys)
_EARLY: Final = 600
"""Characters of a result in which the id stands."""


def comparable(name: str, text: str) -> str:
    """The text of a result without what differs between two equal calls, for comparing two results."""
    return _read_by(_COMPARABLE, name, text)


def body_of(name: str, text: str) -> str:
    """The output of a command or a tool, without the words around it."""
    return _read_by(_OUTPUTS, name, text)


def _read_by(readers: tuple[Any, ...], name: str, text: str) -> str:
    """The text of a result as the first client reads it that knows its form; a file that was read has no form."""
    text = without_tokens_left(text)
    if name in _FILE_READERS:
        return text
    for read in readers:
        found: str | None = read(text)
        if found is not None:
            return found
    return text


def headed(text: str) -> tuple[tuple[str, ...], str]:
    """The line above an output that says how the command ended, if there is one, and the output."""
    for read in _HEADED:
        found: tuple[str, str] | None = read(text)
        if found is not None:
            ended, output = found
            return (ended,) if ended else (), output
    return (), text


def is_stub(text: str) -> bool:
    """Whether a result only says that an earlier one still holds."""
    if len(text) > 4 * _LONGEST:
        return False
    text = without_reminders(text).strip()
    return len(text) <= _LONGEST and text.count("\n") <= 4 and _UNCHANGED.search(text) is not None


def is_cut(text: str) -> bool:
    """Whether the agent shortened this result before sending it."""
    tail = max(0, len(text) - 600)
    return bool(_CUT_FIRST.search(text, 0, 600) or _CUT_LAST.search(text, tail) or _CUT_WITHIN.search(text))


def process_of(given: Any, text: str) -> str:
    """The id of the running command that a call names or starts; empty if there is none."""
    if isinstance(given, Mapping):
        for key in _KEYS:
            if (id := given.get(key)) is not None:
                return str(id)
    found = _ID.search(text[:_EARLY])
    return next((id for id in found.groups() if id), "") if found else ""
