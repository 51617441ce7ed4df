"""Reminders for the model, which several agents put into prompts and results between `<system-reminder>` tags."""

from __future__ import annotations

import re
from typing import Final

from prunus.text.enclosed import enclosed

_OPEN: Final = "<system-reminder>"
_CLOSE: Final = "</system-reminder>"
_OPENING: Final = re.compile(_OPEN)
_CLOSING: Final = re.compile(_CLOSE)
_WHOLE: Final = re.compile(rf"{_OPEN}.*?{_CLOSE}\s*\Z", re.S)
_TOKENS_LEFT: Final = re.compile(rf"{_OPEN}\s*<total_tokens>[^<]*</total_tokens>\s*{_CLOSE}\s*$")


def reminder(text: str) -> str:
    """A text as the reminder that an agent sends."""
    return f"{_OPEN}\n{text}\n{_CLOSE}"


def has_reminder(text: str) -> bool:
    """Whether a reminder begins in the text."""
    return _OPEN in text


def last_reminder(text: str) -> str:
    """The reminder at the end of a text; empty if the text ends otherwise."""
    return text[text.rfind(_OPEN) :] if text.rstrip().endswith(_CLOSE) else ""


def without_reminders(text: str) -> str:
    """A text without the reminders in it."""
    pieces = []
    at = 0
    for start, end in enclosed(text, _OPENING, _CLOSING):
        pieces.append(text[at : start.start()])
        at = end.end()
    return "".join((*pieces, text[at:]))


def without_last_reminders(text: str) -> str:
    """A text without the reminders at its end."""
    end = len(text)
    while text.find(_CLOSE, max(0, end - 60), end) >= 0:
        start = text.rfind(_OPEN, 0, end)
        if start < 0 or _WHOLE.match(text, start, end) is None:
            break
        end = start
        while end and text[end - 1] == "\n":
            end -= 1
    return text[:end]


def without_tokens_left(text: str) -> str:
    """A result without the reminder of how many tokens are left, which stands behind the last result of a turn."""
    if "<total_tokens>" not in text[-200:]:
        return text
    at = text.rfind(_OPEN)
    return text[:at].rstrip() if at >= 0 and _TOKENS_LEFT.match(text, at) else text
