"""A result without what differs from call to call."""

from __future__ import annotations

import json
import re

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
