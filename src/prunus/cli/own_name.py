"""The version of this very Prunus, and what a user types to start it again."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path


def own_command() -> list[str]:
    """Return the words that start this Prunus from anywhere."""
    started = Path.cwd() / sys.argv[0]
    if started.stem == "prunus" and started.is_file():
        return [str(started)]
    return [sys.executable, "-m", "prunus"]


def own_name() -> str:
    """Return `prunus` if a terminal finds this program by that name, else the path of the program.

    A path inside the current directory is shortened, as in `.venv/bin/prunus`. Started as a module, Prunus is
    `python -m prunus`.
    """
    started = Path(sys.argv[0])
    if started.stem != "prunus" or not started.is_file():
        return f"{shlex.quote(sys.executable)} -m prunus"
    found = shutil.which("prunus")
    # uv puts a program that it starts on the PATH of this one process only.
    if found and "UV" not in os.environ and Path(found).resolve() == started.resolve():
        return "prunus"
    here = Path.cwd()
    path = here / started
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def own_version() -> str:
    """Return the installed version, or an empty string if Prunus runs from its source."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("prunus")
    except PackageNotFoundError:
        return ""
