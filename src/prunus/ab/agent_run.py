"""One run: an agent works on a task in a fresh folder, and checks then decide whether the task is solved.

A run belongs to one of two arms: the agent talks to the provider directly, or through Prunus.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prunus.ab.exchanges import Meter, OwnTariffs, count_calls, dollars_of, read_exchanges
from prunus.ab.relay import Relay
from prunus.ab.results import PlannedRun, RunResult
from prunus.ab.tasks import CodingTask
from prunus.clients.launcher import Host, Launch, Launcher
from prunus.errors import PrunusError
from prunus.providers.usage import total_usage
from prunus.proxy.serve import Background
from prunus.settings import Settings

_POLL: Final = 0.1
_CHECK_SECONDS: Final = 600
_LEFT_OUT: Final = ("XDG_", "PRUNUS_", "CLAUDE_CONFIG_DIR")
"""Environment variables that would make the agent read the user's own settings."""


class AgentFailed(PrunusError):
    """The agent could not start its work. Further runs would fail in the same way."""


class Stopped(PrunusError):
    """The trial must stop: the budget is used up, or a model has no known price."""


@dataclass(frozen=True, slots=True)
class AgentSetup:
    """How to start the agent; the same for every run."""

    launcher: Launcher
    program: str
    arguments: tuple[str, ...]
    """Arguments with `{prompt}` and `{model}` in them; empty if the launcher knows its own arguments."""
    model: str
    upstreams: Mapping[str, str]
    """The address of each provider, by its name."""
    settings: Callable[[tuple[str, ...], tuple[str, ...]], Settings]
    """Returns the settings of Prunus, given upstreams as `NAME=URL` and overrides as `key=value`."""
    seconds: float
    """The time limit of a run."""
    tariffs: OwnTariffs = ()

    def started(self, prompt: str, host: Host) -> Launch:
        """Return the arguments and environment variables for a task. Raises AgentFailed if they are unknown."""
        if self.arguments:
            given = (one.replace("{prompt}", prompt).replace("{model}", self.model) for one in self.arguments)
            return Launch(tuple(given))
        known = self.launcher.unattended(prompt, self.model, host)
        if known is None:
            raise AgentFailed(
                f"how {self.launcher.name} works without a user is not known: give its arguments after --, such as "
                "-- --task {prompt} --model {model}"
            )
        return known


def perform(setup: AgentSetup, task: CodingTask, run: PlannedRun, meter: Meter, folder: Path) -> RunResult:
    """Make one run, keep its files in `folder`, and return its result. Raises Stopped if the budget is used up."""
    # The agent works outside of the results: it must not find other runs, and its path must not reveal the arm.
    with tempfile.TemporaryDirectory(prefix="prunus-ab-") as place:
        work, home, scratch = (Path(place) / name for name in (task.name, "home", "scratch"))
        for each in (home, scratch):
            each.mkdir()
        task.lay_out(work)
        host = Host(_environment(home), home, work, scratch)
        with (
            Relay(setup.upstreams, setup.launcher.provider, meter, folder) as relay,
            _arm(setup, run, relay, folder) as url,
        ):
            begun = time.monotonic()
            code, timed_out = _work(setup, task, url, host, meter, folder)
            seconds = time.monotonic() - begun
        try:
            if meter.refusal:
                raise Stopped(meter.refusal)
            solved = _check(task, work, folder)
        finally:
            shutil.copytree(work, folder / "work", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    return _result(setup, run, folder, solved=solved, code=code, timed_out=timed_out, seconds=seconds)


@contextmanager
def _arm(setup: AgentSetup, run: PlannedRun, relay: Relay, folder: Path) -> Iterator[str]:
    """Yield the base URL for the agent: that of the relay, or that of a Prunus proxy in front of the relay."""
    if run.arm == "without":
        yield relay.url
        return
    upstreams = tuple(f"{name}={relay.url}/@{name}" for name in setup.upstreams)
    sets = (
        "proxy.host=127.0.0.1",
        "proxy.port=0",
        "proxy.token=",
        "proxy.workers=1",
        f"store.url=sqlite:///{(folder / 'store.db').resolve()}",
    )
    with Background(setup.settings(upstreams, sets), fallback=setup.launcher.provider) as proxy:
        yield proxy.url


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    direct = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
    return {**kept, **direct, "HOME": str(home), "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def _work(
    setup: AgentSetup, task: CodingTask, url: str, host: Host, meter: Meter, folder: Path
) -> tuple[int, bool]:
    """Run the agent. Return its exit code, and whether it exceeded the time limit."""
    reached, started = setup.launcher.launch(url, host), setup.started(task.prompt, host)
    command = [setup.program, *reached.arguments, *started.arguments]
    environment = {**host.environment, **reached.environment, **started.environment}
    with (folder / "agent.out").open("wb") as out, (folder / "agent.err").open("wb") as err:
        process = subprocess.Popen(
            command,
            cwd=host.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        end = time.monotonic() + setup.seconds
        try:
            while process.poll() is None and time.monotonic() < end and not meter.refusal:
                time.sleep(_POLL)
            timed_out = process.poll() is None and not meter.refusal
        finally:
            _end(process)
    return process.returncode, timed_out


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the agent and all processes that it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _check(task: CodingTask, work: Path, folder: Path) -> bool:
    """Return whether all checks of the task succeed; their output goes to `check.txt`."""
    task.restore(work)
    with (folder / "check.txt").open("wb") as said:
        if task.test_patch:
            patched = subprocess.run(
                ["git", "apply", "-"], cwd=work, input=task.test_patch.encode(), stdout=said, stderr=said
            )
            if patched.returncode:
                return False
        return all(passes(check, work, said.fileno()) for check in task.checks)


def passes(check: str, work: Path, said: int = subprocess.DEVNULL) -> bool:
    """Return whether a command succeeds in a folder; `{python}` means the Python that runs Prunus."""
    command = check.replace("{python}", f'"{sys.executable}"')
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(
            command, shell=True, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            timeout=_CHECK_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0


def _result(
    setup: AgentSetup, run: PlannedRun, folder: Path, *, solved: bool, code: int, timed_out: bool, seconds: float
) -> RunResult:
    exchanges = tuple(read_exchanges(folder))
    counted = [exchange for exchange in exchanges if exchange.usage is not None]
    if not counted:
        errors = (folder / "agent.err").read_text(errors="replace") or (folder / "agent.out").read_text(
            errors="replace"
        )
        last = " ".join(errors.strip().splitlines()[-3:]) or "it wrote nothing"
        statuses = ", ".join(sorted({str(one.status) for one in exchanges if one.status >= 400}))
        refused = f" The provider answered {statuses}." if statuses else ""
        raise AgentFailed(f"{setup.launcher.name} got no answer from the model (exit code {code}): {last}{refused}")
    calls = count_calls(exchanges)
    usages = [exchange.usage for exchange in counted if exchange.usage is not None]
    return RunResult(
        run.task,
        run.repeat,
        run.arm,
        solved,
        code,
        timed_out,
        seconds,
        len(counted),
        sum(exchange.status >= 400 for exchange in exchanges),
        calls.calls,
        calls.rereads,
        total_usage(usages),
        sum(exchange.long_writes for exchange in counted),
        sum(dollars_of(exchange, setup.tariffs) for exchange in counted),
        dict(Counter(exchange.model for exchange in counted)),
    )
