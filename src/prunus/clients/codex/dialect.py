"""Codex writes four to seven lines before the output of a command, among them a random id and times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from prunus.clients.codex.code_mode import inner_call
from prunus.clients.dialect import Dialect, json_output

_BANNER: Final = re.compile(
    r"(?:Command: [^\n]*\n)?(?:Chunk ID: \w+\n)?(?:Exit code: -?\d+\n)?Wall time:? [\d.]+ seconds\n"
    r"(?:Process (?:exited with code -?\d+|running with session ID \d+)\n)?(?:Original token count: \d+\n)?"
    r"(?:Total output lines: \d+\n)?Output:\n"
    r"|Script (?:completed|failed)\nWall time:? [\d.]+ seconds\nOutput:\n"
)
_NOISE: Final = re.compile(
    r"^(?:Chunk ID: \w+|Wall time:? [\d.]+ seconds|Original token count: \d+"
    r"|Process running with session ID \d+)\n",
    re.M,
)
_DURATION: Final = re.compile(r'"duration_seconds":\s*[\d.]+')
_HEAD: Final = re.compile(
    r"(?:Command: [^\n]*\n)?(?:(?:Chunk ID|Wall time|Original token count|Total output lines|Process|Exit code)\b"
    r"[^\n]*\n){1,6}Output:\n"
)
_ENDED: Final = re.compile(r"^(?:Process (?:exited|running)|Exit code)\b[^\n]*", re.M)
_OLD: Final = '{"output"'
"""How the results of older versions begin, which are JSON."""


def _output(text: str) -> str | None:
    if found := _BANNER.match(text):
        return text[found.end() :]
    return json_output(text) if text.startswith(_OLD) else None


def _headed(text: str) -> tuple[str, str] | None:
    found = _HEAD.match(text)
    if found is None:
        return None
    ended = _ENDED.search(text, 0, found.end())
    return ended[0] if ended else "", text[found.end() :]


def _comparable(text: str) -> str | None:
    if found := _BANNER.match(text):
        return _NOISE.sub("", found[0]) + text[found.end() :]
    if text.startswith(_OLD) and '"duration_seconds"' in text[-200:]:
        return _DURATION.sub('"duration_seconds":0', text)
    return None


def _from_subagent(headers: Mapping[str, str], system: bytes) -> bool:
    kind = headers.get("x-openai-subagent")
    if kind is None:
        return bool(headers.get("x-codex-parent-thread-id"))
    # Codex itself works on the history of the main agent in requests of the other kinds.
    return kind not in ("", "compact", "memory_consolidation")


DIALECT: Final = Dialect(
    inner_call=inner_call,
    exit_code_first=r"(?:Command: (?>(?:[^\n]*\n)*?(?=Chunk ID: )|[^\n]*\n))?(?:Chunk ID: [^\n]*\n)?"
    r"(?:Wall time: [^\n]*\n)?(?:Process exited with code|Exit code:) (-?\d+)\b",
    exit_code_last=r"\"metadata\":\s*\{\"exit_code\":\s*(-?\d++)[^{}]*\}\}\s*\Z",
    aborted=r"aborted by user|execution error:|exec_command failed|failed to parse function arguments"
    r"|\AScript failed\b",
    refused="unsupported call: ",
    output=_output,
    headed=_headed,
    comparable=_comparable,
    cut_first=r"Warning: truncated output \(original token count|Total output lines: \d",
    cut_last="tokens truncated…",
    cut_within=r"…\d+ (?:chars|tokens) truncated…",
    process_id=r"Process running with session ID (\d+)",
    process_keys=("session_id",),
    polling_tools=("write_stdin",),
    running="Process running with session ID",
    ended="^Process exited with code",
    folder="<cwd>",
    session_headers=("thread-id", "session-id", "session_id"),
    from_subagent=_from_subagent,
    summary_task=("CONTEXT CHECKPOINT COMPACTION", ""),
    compaction_item="compaction_trigger",
)
