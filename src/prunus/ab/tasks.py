"""Coding tasks: the bundled ones, and the user's own in the format of SWE-bench.

A bundled task is one file, `data/ab/NAME.toml`. It contains the prompt, the checks, the files of the repository
that the agent works on, and a reference solution. The original tests replace those in the repository before the
checks run, so an agent cannot solve a task by changing its tests.
"""

from __future__ import annotations

import shlex
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from prunus.errors import SettingsError

FOLDER: Final = Path(__file__).parent.parent / "data" / "ab"
_IGNORED: Final = shutil.ignore_patterns("__pycache__", "*.pyc")
_PROMPT: Final = (
    "The folder you are in is a repository. Repair what this report describes; do not change the tests.\n\n{}"
)
_NEEDED: Final = ("instance_id", "repo_path", "problem_statement")
_COMMAND: Final = "python3 -m pytest -q {tests}"
"""The command that runs the tests if an instance names none."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One change of the reference solution: `wrong` occurs once in the file, and `right` replaces it."""

    path: str
    wrong: str
    right: str


@dataclass(frozen=True, slots=True)
class CodingTask:
    """A task for an agent, and the checks that decide whether the agent solved it."""

    name: str
    prompt: str
    source: Path | Mapping[str, str]
    """The repository that the agent works on: a folder to copy, or the text of each file by its path."""
    checks: tuple[str, ...]
    """Commands that all succeed once the task is solved."""
    restored: tuple[str, ...] = ()
    """Files and folders whose original content is restored before the checks."""
    test_patch: str = ""
    """A diff that is applied before the checks; the agent does not see it."""
    repairs: tuple[Repair, ...] = ()
    """The reference solution; only bundled tasks have one."""

    def lay_out(self, folder: Path) -> None:
        """Create a folder with the files of the repository."""
        if isinstance(self.source, Path):
            shutil.copytree(self.source, folder, ignore=_IGNORED, symlinks=True)
        else:
            _write_files(self.source, folder)

    def restore(self, folder: Path) -> None:
        """Restore the original content of the files that the checks rely on."""
        for name in self.restored:
            if isinstance(self.source, Path):
                _copy_again(self.source / name, folder / name)
            else:
                shutil.rmtree(folder / name, ignore_errors=True)
                inside = {path: text for path, text in self.source.items() if Path(path).is_relative_to(name)}
                _write_files(inside, folder)


def _copy_again(source: Path, target: Path) -> None:
    """Replace a file or a folder that the agent may have changed."""
    if source.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, ignore=_IGNORED)
    else:
        shutil.copy2(source, target)


def _write_files(files: Mapping[str, str], folder: Path) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def bundled() -> tuple[CodingTask, ...]:
    """Return the tasks that come with Prunus, ordered by name."""
    return tuple(map(_bundled_task, sorted(FOLDER.glob("*.toml"))))


def _bundled_task(path: Path) -> CodingTask:
    given = tomllib.loads(path.read_text(encoding="utf-8"))
    return CodingTask(
        path.stem,
        given["prompt"].strip(),
        given["files"],
        tuple(given["checks"]),
        tuple(given["restored"]),
        repairs=tuple(Repair(**one) for one in given["repair"]),
    )


def named_tasks(tasks: Iterable[CodingTask], names: Iterable[str]) -> tuple[CodingTask, ...]:
    """Return the named tasks in the given order, or all tasks if no name is given. Raises SettingsError."""
    known = {task.name: task for task in tasks}
    wanted = tuple(dict.fromkeys(names)) or tuple(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SettingsError(f"no task {', '.join(unknown)}; there are {', '.join(known)}")
    return tuple(known[name] for name in wanted)


def read_instances(folder: Path) -> tuple[CodingTask, ...]:
    """Return the tasks in the JSON and JSONL files of a folder. Raises SettingsError for an invalid instance."""
    files = sorted(path for path in folder.glob("*") if path.suffix in (".json", ".jsonl"))
    if not files:
        raise SettingsError(f"{folder}: no .json or .jsonl file with instances")
    found = tuple(_instance(path, given) for path in files for given in _objects(path))
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


def _instance(path: Path, given: dict[str, Any]) -> CodingTask:
    name = given.get("instance_id")
    missing = [key for key in _NEEDED if not isinstance(given.get(key), str)]
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
    """Return the names of tests. SWE-bench writes them as a list, or as a string with the JSON of a list."""
    value = given.get(key, [])
    try:
        listed = msgspec.json.decode(value) if isinstance(value, str) else value
        return tuple(msgspec.convert(listed, list[str]))
    except msgspec.MsgspecError as error:
        raise SettingsError(f"{path}: {key} is no list of tests: {error}") from error


def _safe(name: str) -> str:
    """Return the name with only characters that a folder name may have."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
