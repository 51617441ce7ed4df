"""One session of a real client in a folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.clients import Client, Start
from tests.e2e.install import PACKAGES, install, node_folder

__all__ = ["Ended", "play"]

LIMIT = 120.0
"""Seconds that a session may take on a busy machine."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session ended."""

    code: int
    answer: str
    files: dict[str, str]
    output: str
    errors: str
    seconds: float

    def __str__(self) -> str:
        return f"exit {self.code} after {self.seconds:.1f} s\n{self.output[-3000:]}\n{self.errors[-3000:]}"


def play(
    client: Client, url: str, prompts: tuple[str, ...], home: Path, project: Path, *, compacting: bool = False
) -> tuple[Ended, ...]:
    """Run a client on a project against a base URL, once for each prompt, and see what it leaves behind.

    Clients that cannot go on with a session get the first prompt alone. Others compact their history before they
    go on, where that is wanted.
    """
    program = install(client.package)
    first, *more = prompts if client.resumes else prompts[:1]
    starts = [Start(program, home, project, url, first)]
    asked = [*(client.compacts or ()), *more] if compacting else more
    starts += (Start(program, home, project, url, prompt, True, compacting) for prompt in asked)
    return tuple(_run(client, start) for start in starts)


def _run(client: Client, start: Start) -> Ended:
    path = [str(node_folder())] if PACKAGES[client.package].needs_node else []
    environment = {
        "PATH": os.pathsep.join([*path, os.environ["PATH"]]),
        "HOME": str(start.home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        # Nothing but the base URL may be reached, whatever the machine is set up for.
        "NO_PROXY": "127.0.0.1,localhost",
        # Reading the project must not leave files in it that the next run would see.
        "PYTHONDONTWRITEBYTECODE": "1",
        **client.environment(start),
    }
    begun = time.monotonic()
    with subprocess.Popen(
        client.command(start),
        cwd=start.project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
    try:
        answer = client.answer(start, output)
    except (ValueError, KeyError, IndexError, OSError):
        answer = ""
    return Ended(process.returncode, answer, _files(start.project), output, errors, time.monotonic() - begun)


def _files(project: Path) -> dict[str, str]:
    """The files of the project, without what clients keep for themselves."""
    found = (path for path in sorted(project.rglob("*")) if path.is_file())
    texts = {path.relative_to(project).as_posix(): path.read_text(errors="replace") for path in found}
    return {name: text for name, text in texts.items() if not name.startswith(".") and name != "opencode.json"}
