"""Programs that check what lies in `deploy`; `make deploy` installs them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

__all__ = ["ROOT", "program", "run"]

ROOT = Path(__file__).parent.parent.parent


def program(name: str) -> str | None:
    """A program beside the Python that runs the tests, or on the PATH."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


def run(name: str, *words: str, install: str = "make deploy", env: dict[str, str] | None = None) -> str:
    """The output of a program; the test is skipped where the program is missing, and fails where it fails."""
    found = program(name)
    if found is None:
        pytest.skip(f"needs {name}: {install}")
    done = subprocess.run([found, *words], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
