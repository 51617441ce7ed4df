"""Tasks of the user's own, in the shape of SWE-bench: one JSON object per instance."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from prunus.ab.tasks import CodingTask
from prunus.errors import SettingsError

_PROMPT: Final = (
    "The folder you are in is a repository. Repair what this report describes; do not change the tests.\n\n{}"
)
_NEEDED: Final = ("instance_id", "repo_path", "problem_statement")
_COMMAND: Final = "python3 -m pytest -q {tests}"
"""How tests are run if an instance does not say."""


def read_instances(folder: Path) -> tuple[CodingTask, ...]:
    """The instances in the JSON and JSONL files of a folder. Raises SettingsError that names what is wrong."""
    files = sorted(path for path in folder.glob("*") if path.suffix in (".json", ".jsonl"))
    if not files:
        raise SettingsError(f"{folder}: no .json or .jsonl file with instances")
    found = tuple(_task(path, given) for path in files for given in _objects(path))
    names = [task.name for task in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SettingsError(f"{folder}: instances of the same name: {', '.join(twice)}")
    return found


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    raw = path.read_bytes()
    try:
        if path.suffix == ".jsonl":
            yield from (msgspec.json.decode(line, type=dict[str, Any]) for line in raw.splitlines() if line.strip())
        else:
            whole = msgspec.json.decode(raw)
            yield from msgspec.convert(whole if isinstance(whole, list) else [whole], list[dict[str, Any]])
    except msgspec.MsgspecError as error:
        raise SettingsError(f"{path}: {error}") from error


def _task(path: Path, given: dict[str, Any]) -> CodingTask:
    name = given.get("instance_id")
    missing = [
        key for key in ("instance_id", "repo_path", "problem_statement") if not isinstance(given.get(key), str)
    ]
    if missing:
        raise SettingsError(f"{path}: instance {name or '?'} lacks {', '.join(missing)}")
    assert isinstance(name, str)
    source = (path.parent / given["repo_path"]).resolve()
    if not source.is_dir():
        raise SettingsError(f"{path}: instance {name}: repo_path {source} is no folder")
    command = given.get("test_command", _COMMAND)
    tests = (*_tests(path, given, "FAIL_TO_PASS"), *_tests(path, given, "PASS_TO_PASS"))
    if "{tests}" in command and not tests:
        raise SettingsError(f"{path}: instance {name} names no test in FAIL_TO_PASS or PASS_TO_PASS")
    check = command.replace("{tests}", " ".join(map(shlex.quote, tests)))
    prompt = _PROMPT.format(given["problem_statement"])
    restored = tuple(given.get("restored", ()))
    return CodingTask(_safe(name), prompt, source, (check,), restored, given.get("test_patch", ""))


def _tests(path: Path, given: dict[str, Any], key: str) -> tuple[str, ...]:
    """A list of tests; SWE-bench writes it as a list or as the JSON of one."""
    value = given.get(key, [])
    try:
        listed = msgspec.json.decode(value) if isinstance(value, str) else value
        return tuple(msgspec.convert(listed, list[str]))
    except msgspec.MsgspecError as error:
        raise SettingsError(f"{path}: {key} is no list of tests: {error}") from error


def _safe(name: str) -> str:
    """The name as that of a folder."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
