"""Results of calls: without what differs from call to call, and what stands for a text shown elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from prunus.enclosed import without_reminders

# Codex puts a random chunk id and times before the output of each command.
_CODEX = re.compile(
    r"(?:Command: [^\n]*\n)?(?:Chunk ID: \w+\n)?(?:Exit code: -?\d+\n)?Wall time:? [\d.]+ seconds\n"
    r"(?:Process (?:exited with code -?\d+|running with session ID \d+)\n)?(?:Original token count: \d+\n)?"
    r"(?:Total output lines: \d+\n)?Output:\n"
)
_CODEX_NOISE = re.compile(
    r"^(?:Chunk ID: \w+|Wall time:? [\d.]+ seconds|Original token count: \d+|"
    r"Process running with session ID \d+)\n",
    re.M,
)
_SCRIPT = re.compile(r"Script (?:completed|failed)\nWall time:? [\d.]+ seconds\nOutput:\n")
_GROUP = re.compile(r"^(?:Process Group PGID|Background PIDs?): [^\n]*\n?", re.M)
# Claude Code appends how many tokens are left to the last result of a turn.
_TOKENS_LEFT = re.compile(r"<system-reminder>\s*<total_tokens>[^<]*</total_tokens>\s*</system-reminder>\s*$")
_TAGGED = re.compile(r"<returncode>-?\d+</returncode>\s*<output>\n?(.*?)\n?</output>\s*", re.S)
_FENCED = re.compile(r"<untrusted_context>\s*Output: (.*?)\n(?:Exit Code:[^\n]*\n)?(?:Process Group PGID[^\n]*\n)?"
                     r"</untrusted_context>\s*", re.S)  # fmt: skip
_FILE_READERS = frozenset({"Read", "read", "read_file", "view", "view_file", "read_text_file", "ReadFile"})


def comparable(name: str, text: str) -> str:
    """The text of a result without per-call noise, for comparing two results."""
    text = _without_tokens_left(text)
    if name in _FILE_READERS:
        return text
    head = text[:400]
    if "Wall time" in head:
        found = _CODEX.match(text) or _SCRIPT.match(text)
        if found:
            return _CODEX_NOISE.sub("", found[0]) + text[found.end() :]
        if head.startswith('{"output"'):
            return text
    elif head.startswith('{"output"') and '"duration_seconds"' in text[-200:]:
        return re.sub(r'"duration_seconds":\s*[\d.]+', '"duration_seconds":0', text)
    if "Process Group PGID" in text[-300:]:
        cut = len(text) - 300 if len(text) > 300 else 0
        return text[:cut] + _GROUP.sub("", text[cut:])
    return text


def body_of(name: str, text: str) -> str:
    """What a command or a tool printed, without the client's wrapper around it."""
    text = _without_tokens_left(text)
    if name in _FILE_READERS:
        return text
    found = _CODEX.match(text) or _SCRIPT.match(text)
    if found:
        return text[found.end() :]
    if text.startswith("<returncode>") and (found := _TAGGED.fullmatch(text)):
        return found[1]
    if text.startswith("<untrusted_context>") and (found := _FENCED.fullmatch(text)):
        return found[1]
    if text[:1] == "{" and ('"returncode"' in text[:40] or text.startswith('{"output"')):
        return _json_output(text)
    return text


def _without_tokens_left(text: str) -> str:
    """A result without the client's count of tokens at its end."""
    if "<total_tokens>" not in text[-200:]:
        return text
    at = text.rfind("<system-reminder>")
    return text[:at].rstrip() if at >= 0 and _TOKENS_LEFT.match(text, at) else text


def _json_output(text: str) -> str:
    """The output in a result that is JSON text, as mini-swe-agent and old Codex versions send it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    output = found.get("output") if isinstance(found, dict) else None
    return output if isinstance(output, str) else text


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


_ID: Final = re.compile(
    r"Process running with session ID (\d+)|(?:running in background|backgrounded by user) with ID: (\w+)", re.I
)
_KEYS: Final = ("session_id", "bash_id", "shell_id", "task_id", "shellId")
_EARLY: Final = 600
"""Characters of a result in which the id stands."""


def process_of(given: Any, text: str) -> str:
    """Which running command a call is about: by the id that it is given or gets; empty if none is told."""
    if isinstance(given, Mapping):
        for key in _KEYS:
            if (id := given.get(key)) is not None:
                return str(id)
    found = _ID.search(text[:_EARLY])
    return next((id for id in found.groups() if id), "") if found else ""
