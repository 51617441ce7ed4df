"""Why a change was made: said in the call, said before it, or not said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from prunus.intent import intent_of

_STATED: Final = ("instruction", "instructions", "explanation", "description")
"""Arguments in which some agents' own tools say why."""
_LONGEST: Final = 160
_FENCE: Final = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.M | re.S)
_MARKS: Final = re.compile(r"^(?:\*\*(?!\s)|[#>*+-]++\s+|\d++[.)]\s+)+")
_LABEL: Final = re.compile(r"^(?:THOUGHT|DISCUSSION|Thought|Reasoning):\s*")
_TAG: Final = re.compile(r"</?[a-zA-Z][\w-]*>")
_END: Final = re.compile(r"(?<=[.!?])[\"')*]*\s+(?=[A-Z`\"'(])")
_FEW: Final = 4
"""Words of a sentence that is too short to say something alone."""


def stated(given: Mapping[str, Any] | str) -> str:
    """The purpose that the call itself names; empty if it names none."""
    if isinstance(given, str):
        return ""
    for words in (intent_of(given), *(given.get(key) for key in _STATED)):
        if isinstance(words, str) and words.strip():
            return _shorter(words)
    return ""


def sentence(text: str) -> str:
    """The last sentence of what the assistant wrote, code and Markdown aside; empty if there is none."""
    prose = _TAG.sub("", _FENCE.sub("", text))
    lines = [_LABEL.sub("", _MARKS.sub("", line.strip())) for line in prose.splitlines()]
    lines = [line for line in lines if re.search(r"[^\W\d_]{2}", line)]
    if not lines:
        return ""
    sentences = _END.split(lines[-1])
    last = sentences[-1]
    if len(last.split()) < _FEW and len(sentences) > 1:
        last = f"{sentences[-2]} {last}"
    return _shorter(last.replace("**", "").rstrip(" :"))


def _shorter(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1].rstrip()}…"
