"""What the model wants to do, in the tools that a client declares."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.upstream.values import Past, Tool

__all__ = ["Edit", "Intent", "Prune", "Read", "Run", "Shown", "Write", "as_call", "submission"]

SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
SHELLS = ("Bash", "bash", "exec_command", "run_shell_command")
# What stands behind a result that may be pruned: `[id 1a2b3c, thinking 4d5e6f]`, or as the seeds write it.
TAG = re.compile(r"(?:\[id |prunable_hash=\")([0-9a-f]{6,32})")


@dataclass(frozen=True, slots=True)
class Read:
    """Read a file."""

    path: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace whole lines of a file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write a file."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """Run a command."""

    command: str


@dataclass(frozen=True, slots=True)
class Shown:
    """The id that stands behind the result of a step, read from the history."""

    step: int
    index: int = 0


@dataclass(frozen=True, slots=True)
class Prune:
    """Call the proxy's own tool, where it is declared."""

    action: str
    targets: tuple[tuple[str | Shown, ...], ...]
    tool: str = "context_prune"


Intent = Read | Edit | Write | Run | Prune


def as_call(
    intent: Intent, tools: Sequence[Tool], root: str, past: Past, ids: Mapping[tuple[int, int], str]
) -> tuple[str, dict[str, object] | str] | None:
    """The name and the arguments of a call that does this; none when the client has no tool for it."""
    by_name = {tool.name: tool for tool in tools}
    if isinstance(intent, Prune):
        if not (name := next((n for n in by_name if n.endswith(intent.tool)), "")):
            return None
        targets = [[_shown(t, past, ids) if isinstance(t, Shown) else t for t in row] for row in intent.targets]
        return name, {"action": intent.action, "targets": targets}
    if isinstance(intent, Run):
        return _shell(intent.command, by_name)
    path = f"{root}/{intent.path}"
    match intent:
        case Read():
            for name in ("Read", "read_file", "read"):
                if tool := by_name.get(name):
                    return name, {_path_key(tool): path}
            return _shell(f"cat {shlex.quote(intent.path)}", by_name)
        case Edit():
            return _edit(intent, path, by_name)
        case Write():
            for name in ("Write", "write_file", "write"):
                if tool := by_name.get(name):
                    return name, {_path_key(tool): path, "content": intent.text}
            lines = "".join(f"+{line}\n" for line in intent.text.splitlines())
            return _patch(f"*** Add File: {intent.path}\n{lines}", by_name) or _shell(
                f"cat > {shlex.quote(intent.path)} <<'END'\n{intent.text}END", by_name
            )


def submission(text: str, tools: Sequence[Tool], past: Past) -> tuple[str, dict[str, object] | str] | None:
    """The call by which mini-swe-agent ends; other clients end with plain words."""
    if {tool.name for tool in tools} - {"context_prune", "context_info"} != {"bash"}:
        return None
    if not any(SUBMIT in heard for heard in past.heard):
        return None
    return _shell(f"echo {SUBMIT}; echo {shlex.quote(text)}", {tool.name: tool for tool in tools})


def _edit(intent: Edit, path: str, by_name: Mapping[str, Tool]) -> tuple[str, dict[str, object] | str] | None:
    for name in ("Edit", "edit", "replace"):
        if not (tool := by_name.get(name)):
            continue
        key = _path_key(tool)
        if "edits" in tool.properties:
            return name, {key: path, "edits": [{"oldText": intent.old, "newText": intent.new}]}
        if "oldString" in tool.properties:
            return name, {key: path, "oldString": intent.old, "newString": intent.new}
        arguments: dict[str, object] = {key: path, "old_string": intent.old, "new_string": intent.new}
        return name, arguments | ({"instruction": "Change the lines."} if "instruction" in tool.properties else {})
    lines = [f"-{line}" for line in intent.old.splitlines()] + [f"+{line}" for line in intent.new.splitlines()]
    patch = _patch(f"*** Update File: {intent.path}\n@@\n" + "\n".join(lines) + "\n", by_name)
    if patch:
        return patch
    old, new = (re.sub(r"([/&\\.*\[\]])", r"\\\1", text.rstrip("\n")) for text in (intent.old, intent.new))
    return _shell(f"sed -i {shlex.quote(f's/^{old}$/{new}/')} {shlex.quote(intent.path)}", by_name)


def _patch(body: str, by_name: Mapping[str, Tool]) -> tuple[str, dict[str, object] | str] | None:
    if not (tool := by_name.get("apply_patch")):
        return None
    text = f"*** Begin Patch\n{body}*** End Patch"
    return tool.name, text if tool.custom else {"patchText": text}


def _shell(command: str, by_name: Mapping[str, Tool]) -> tuple[str, dict[str, object] | str] | None:
    for name in SHELLS:
        if tool := by_name.get(name):
            key = "cmd" if "cmd" in tool.properties else "command"
            said: dict[str, object] = {"description": "Run it."} if "description" in tool.properties else {}
            return name, {key: command, **said}
    return None


def _path_key(tool: Tool) -> str:
    return next((key for key in ("file_path", "filePath", "path") if key in tool.properties), "path")


def _shown(target: Shown, past: Past, ids: Mapping[tuple[int, int], str]) -> str:
    wanted = ids.get((target.step, target.index), "")
    text = next((text for id, text in past.results.items() if wanted and wanted in id), "")
    found = TAG.findall(text)
    return found[-1] if found else json.dumps(f"no id behind the result of step {target.step}")
