"""Codex CLI, with the shell tools of its older versions and its code mode.

Codex writes four to seven lines before the output of a command, among them a random id and times. In its code mode,
the model writes JavaScript that calls tools. Only a script with a single call whose arguments are literals is taken
apart. Any other script stays a shell call about which nothing is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from prunus.calls.meaning import Tool
from prunus.clients.dialect import Dialect, InnerCall, json_output

TOOLS: tuple[Tool, ...] = (
    Tool("exec_command", "shell", command="cmd", workdir="workdir"),
    Tool("shell_command", "shell", command="command", workdir="workdir"),
    Tool("shell", "shell", command="command", workdir="workdir"),
    Tool("container.exec", "shell", command="cmd", workdir="workdir"),
    Tool("local_shell_call", "shell", command="action"),
    Tool("local_shell_call", "shell", command="command", workdir="working_directory"),
    Tool("local_shell", "shell", command="action"),
    Tool("local_shell", "shell", command="command", workdir="working_directory"),
    Tool("write_stdin", "shell", keep=("session_id", "chars")),
    Tool("exec", "shell", command="input", language="javascript"),
    Tool("apply_patch", "edit", patch="input"),
    Tool("apply_patch", "edit", patch="patch"),
    Tool("view_image", "read", path="path"),
    Tool("list_dir", "list", path="dir_path"),
    Tool("grep_files", "search", pattern="pattern", path="path", include="include"),
    Tool("update_plan", "todo", key="todo:write"),
    Tool("spawn_agent", "task", keep=("agent_type", "task_name")),
    Tool("send_input", "task", keep=("id",)),
    Tool("send_message", "task", keep=("target",)),
    Tool("wait_agent", "task", keep=("targets",)),
)

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
_CALL: Final = re.compile(r"\btools\.(\w+)\(\s*")
_KEYED: Final = re.compile(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+("?)')
"""A string; one that does not end is found as well, so that its text is looked at once."""
_PRINTS_ALL: Final = re.compile(r"text\(\s*(?:\w+(?:\.output)?|JSON\.stringify\(\w+\))\s*\)")
_WORKS_ON_IT: Final = re.compile(r"\.(?:slice|split|match|filter|replace|substring|map|trim|includes)\(")


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
