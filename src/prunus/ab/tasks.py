"""The coding tasks that come with Prunus: small repositories with failing tests.

A task is a folder in `data/ab`: `task.toml` says what is wrong and how it is repaired, `repo/` is what the agent
gets. The tests in the repository are put back before they are run, so that a change of the tests solves nothing.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prunus.errors import SettingsError

FOLDER: Final = Path(__file__).parent.parent / "data" / "ab"
_IGNORED: Final = shutil.ignore_patterns("__pycache__", "*.pyc")


@dataclass(frozen=True, slots=True)
class Repair:
    """One change of the reference solution: a text that stands once in a file, and what belongs there."""

    path: str
    wrong: str
    right: str


@dataclass(frozen=True, slots=True)
class CodingTask:
    """What an agent is asked to do, and how to find out whether it did."""

    name: str
    prompt: str
    source: Path
    """The folder that the agent gets a copy of."""
    checks: tuple[str, ...]
    """Commands that all succeed once the task is solved."""
    restored: tuple[str, ...] = ()
    """Files and folders that are put back before the checks."""
    test_patch: str = ""
    """A diff that is applied before the checks; the agent does not see it."""

    def lay_out(self, folder: Path) -> None:
        """Copy the repository to a folder that does not exist yet."""
        shutil.copytree(self.source, folder, ignore=_IGNORED, symlinks=True)

    def restore(self, folder: Path) -> None:
        """Put back what the checks rely on."""
        for name in self.restored:
            source, target = self.source / name, folder / name
            if source.is_dir():
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(source, target, ignore=_IGNORED)
            else:
                shutil.copy2(source, target)


def bundled() -> tuple[CodingTask, ...]:
    """The tasks that come with Prunus, by name."""
    return tuple(_read(path.parent) for path in sorted(FOLDER.glob("*/task.toml")))


def chosen(tasks: Iterable[CodingTask], names: Iterable[str]) -> tuple[CodingTask, ...]:
    """The named tasks in the given order; all of them without a name. Raises SettingsError for an unknown name."""
    known = {task.name: task for task in tasks}
    wanted = tuple(dict.fromkeys(names)) or tuple(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SettingsError(f"no task {', '.join(unknown)}; there are {', '.join(known)}")
    return tuple(known[name] for name in wanted)


def repairs(name: str) -> tuple[Repair, ...]:
    """The reference solution of a bundled task."""
    given = tomllib.loads((FOLDER / name / "task.toml").read_text(encoding="utf-8"))
    return tuple(Repair(**one) for one in given["repair"])


def _read(folder: Path) -> CodingTask:
    given = tomllib.loads((folder / "task.toml").read_text(encoding="utf-8"))
    return CodingTask(
        folder.name, given["prompt"].strip(), folder / "repo", tuple(given["checks"]), tuple(given["restored"])
    )
