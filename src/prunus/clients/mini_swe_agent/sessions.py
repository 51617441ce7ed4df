"""Trajectories of mini-swe-agent: `.traj.json` documents.

Version 1 wrote each command as a code block and got its output as a user
message. Both become what version 2 sends: a call of `bash` and a JSON result.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from prunus.clients.chat_turns import as_session, function_call, message_turn, plain_turns
from prunus.clients.client import Home, SessionFolder
from prunus.clients.recorded_file import JsonObject, Recording, Session, mapping, rows, text
from prunus.clients.turns import RecordedTurn
from prunus.text.enclosed import enclosed
from prunus.text.numbers import as_number

_COMMAND = re.compile(r"```bash\s*\n")
_COMMAND_END = re.compile(r"\n```")
_RETURN_CODE = re.compile(r"\A<returncode>(-?\d+)</returncode>\s*")
_SECTION = re.compile(r"<(warning|output_head|elided_chars|output_tail)>\n")
_TIMED_OUT = re.compile(r"\AThe last command <command>.*</command> timed out", re.DOTALL)


def folders(home: Home) -> Iterator[SessionFolder]:
    """Where mini-swe-agent keeps its trajectories: by default in the folder that `platformdirs` names."""
    name = "mini-swe-agent"
    if sys.platform == "win32":
        default = Path(home.env.get("LOCALAPPDATA") or home.path / "AppData" / "Local") / name / name
    elif sys.platform == "darwin":
        default = home.path / "Library" / "Application Support" / name
    else:
        default = Path(home.env.get("XDG_CONFIG_HOME") or home.path / ".config") / name
    yield home.named("MSWEA_GLOBAL_CONFIG_DIR", default), ("**/*.traj.json",)


def recognise(recording: Recording) -> bool:
    """A document that says so in `trajectory_format`."""
    return text(mapping(recording.document).get("trajectory_format")).startswith("mini-swe-agent")


def sessions(recording: Recording) -> Iterator[Session]:
    """The one conversation of the document."""
    messages = [m for m in rows(recording.document.get("messages")) if m.get("role") != "exit"]
    config = mapping(mapping(recording.document.get("info")).get("config"))
    model = text(mapping(config.get("model")).get("model_name"))
    yield as_session(_turns(messages), model)


def _turns(messages: Sequence[JsonObject]) -> list[RecordedTurn]:
    """Commands that ran as calls; answers that the harness refused stay text.

    The last command submits the work, and the model never sees its outcome.
    """
    turns: list[RecordedTurn] = []
    position = 0
    while position < len(messages):
        message = messages[position]
        content = text(message.get("content"))
        commands = list(enclosed(content, _COMMAND, _COMMAND_END)) if message.get("role") == "assistant" else []
        after = messages[position + 1 : position + 2]
        outcome = _outcome(text(after[0].get("content"))) if after else None
        position += 1
        ends = position >= len(messages) - 1
        if len(commands) != 1 or (outcome is None and not ends):
            turns += plain_turns([message])
            continue
        id = f"call_{position}"
        ((start, end),) = commands
        said = (content[: start.start()] + content[end.end() :]).strip()
        call = function_call(id, "bash", {"command": content[start.end() : end.start()]})
        turns.append(message_turn({"role": "assistant", "content": said, "tool_calls": [call]}))
        if outcome is not None:
            turns.append(message_turn({"role": "tool", "tool_call_id": id, "content": outcome}))
        position += 1
    return turns


def _outcome(content: str) -> str | None:
    """An observation as JSON text; None if it does not tell how a command ended."""
    code = _RETURN_CODE.match(content)
    if code is None:
        return _json({"returncode": -1, "output": content}) if _TIMED_OUT.match(content) else None
    shown = content[code.end() :]
    if shown.startswith("<output>"):
        sections = {"output": shown.removeprefix("<output>").removeprefix("\n").removesuffix("</output>")}
    else:
        sections = _sections(shown)
    return _json({"returncode": as_number(code[1])} | sections)


def _sections(shown: str) -> dict[str, str]:
    """The parts of an output that was too long to be shown whole."""
    found: dict[str, str] = {}
    unclosed: set[str] = set()
    at = 0
    for start in _SECTION.finditer(shown):
        if start.start() < at or start[1] in unclosed:
            continue
        end = shown.find(f"\n</{start[1]}>", start.end())
        if end < 0:
            unclosed.add(start[1])
        else:
            found[start[1]] = shown[start.end() : end]
            at = end
    return found


def _json(value: JsonObject) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
