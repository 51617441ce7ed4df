"""Results that stand for a text shown elsewhere, or for a part of one."""

from __future__ import annotations

import re

from prunus.enclosed import without_reminders

_LONGEST = 800
# Claude Code 2.1.197 and others: "file unchanged since your last Read"; Qwen Code 0.24: "[File x
# unchanged since last read in this session …]".
_UNCHANGED = re.compile(
    r"\b(?:file|content|contents|output|result)\b[^\n]{0,200}?\b(?:is |has |have |are )?"
    r"(?:unchanged|not (?:been )?(?:changed|modified)|identical)\b"
    r"[^\n]{0,40}?\b(?:since|to|as)\b[^\n]{0,60}?\b(?:last|previous|earlier|prior)\b",
    re.I,
)
_CUT_AT_FRONT = re.compile(
    r"<persisted-output>|\.\.\.output truncated\.\.\.|Output too large\b|Tool output was too large\b"
    r"|Warning: truncated output \(original token count|Total output lines: \d",
)
_CUT_AT_END = re.compile(
    r"\(File has more lines\.|\[Showing lines \d+-\d+ of \d+|\(Output capped at|\(Showing lines \d+-\d+ of \d+"
    r"|\[\d+ more lines in file\.|tokens truncated…|[Uu]se '?offset'? (?:parameter )?to"
    r"|[(\[<][^\n)\]>]{0,80}\b(?:T|t)runcated\b",
)
_CUT_KEYS = re.compile(r'"output_head":|<output_head>|\[\.\.\. \d+ characters truncated')
_CUT_WITHIN = re.compile(r"…\d+ (?:chars|tokens) truncated…")


def is_stub(text: str) -> bool:
    """Whether a result only says that an earlier one still holds."""
    if len(text) > 4 * _LONGEST:
        return False
    text = without_reminders(text).strip()
    return len(text) <= _LONGEST and text.count("\n") <= 4 and _UNCHANGED.search(text) is not None


def is_cut(text: str) -> bool:
    """Whether the client shortened this result before sending it."""
    front = text[:600]
    if _CUT_AT_FRONT.search(front) or _CUT_KEYS.search(front):
        return True
    return _CUT_AT_END.search(text, max(0, len(text) - 600)) is not None or _CUT_WITHIN.search(text) is not None
