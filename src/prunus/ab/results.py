"""The runs of a trial on disk: which are planned, which are finished, and what they cost.

OUT/trial.json                       what the trial compares
OUT/runs/TASK/REPEAT-ARM/            one run
    run.json                         its result; a run without this file is not finished
    exchanges.jsonl.gz               every request to the provider and its answer
    agent.out, agent.err, check.txt  the output of the agent and of the checks
    work/                            the repository as the agent left it
OUT/runs/TASK/REPEAT-ARM.stopped-N/  a stopped run; the trial makes it again, and its cost counts
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import msgspec

from prunus.ab.exchanges import OwnTariffs, dollars_of, read_exchanges
from prunus.errors import SettingsError
from prunus.providers.usage import Usage

Arm = Literal["without", "behind"]
ARMS: Final[tuple[Arm, Arm]] = ("without", "behind")
_TRIAL: Final = "trial.json"
_RUN: Final = "run.json"


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run of a trial: one task in one arm."""

    task: str
    repeat: int
    """The number of the repeat, from 1."""
    arm: Arm

    def folder(self, out: Path) -> Path:
        """Return the folder that keeps the files of the run."""
        return out / "runs" / self.task / f"{self.repeat}-{self.arm}"

    def fresh_folder(self, out: Path) -> Path:
        """Make and return an empty folder for the run. The files of a stopped attempt stay under another name."""
        folder = self.folder(out)
        if folder.exists():
            number = 1
            while (aside := folder.with_name(f"{folder.name}.stopped-{number}")).exists():
                number += 1
            folder.rename(aside)
        folder.mkdir(parents=True)
        return folder

    def save(self, out: Path, result: RunResult) -> None:
        """Write the result. From then on the run counts as finished."""
        path = self.folder(out) / _RUN
        beside = path.with_suffix(".new")
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
        beside.replace(path)

    def result(self, out: Path) -> RunResult | None:
        """Return the result, or None if the run is not finished."""
        return _saved_result(self.folder(out))


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of one run."""

    task: str
    repeat: int
    arm: Arm
    solved: bool
    exit_code: int
    """The exit code of the agent; negative if a signal ended it."""
    timed_out: bool
    """Whether the agent was stopped at the time limit. The checks run even then."""
    seconds: float
    """The time that the agent worked."""
    requests: int
    """Requests for which the provider reported usage."""
    refused: int
    """Requests that the provider answered with an error status."""
    calls: int
    rereads: int
    usage: Usage
    long_writes: int
    dollars: float
    models: Mapping[str, int] = field(default_factory=dict)
    """The number of requests that each model answered."""


def planned(tasks: Iterable[str], repeat: int) -> list[PlannedRun]:
    """Return all runs of a trial, in the order in which they are made.

    The arms take turns in going first. The second run may read a prefix from the provider's cache that the first
    run has paid for, so each arm goes second equally often.
    """
    return [
        PlannedRun(task, number, arm)
        for number in range(1, repeat + 1)
        for index, task in enumerate(tasks)
        for arm in (ARMS if (index + number) % 2 else reversed(ARMS))
    ]


def agree_on(out: Path, compared: Mapping[str, object]) -> None:
    """Write down what a trial compares. Raises SettingsError if the folder holds runs of another comparison."""
    path = out / _TRIAL
    if path.exists():
        before = msgspec.json.decode(path.read_bytes(), type=dict[str, object])
        given = msgspec.json.decode(msgspec.json.encode(compared), type=dict[str, object])
        other = [key for key in {**before, **given} if before.get(key) != given.get(key)]
        if other:
            raise SettingsError(f"{out} holds another comparison ({', '.join(other)}): choose another --out")
        return
    out.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(compared)) + b"\n")


def spent(out: Path, own: OwnTariffs = ()) -> float:
    """Return the cost of all runs in a folder, including stopped runs."""
    return sum(_dollars(folder, own) for folder in sorted((out / "runs").glob("*/*")))


def _dollars(folder: Path, own: OwnTariffs) -> float:
    result = _saved_result(folder)
    return result.dollars if result else sum(dollars_of(exchange, own) for exchange in read_exchanges(folder))


def _saved_result(folder: Path) -> RunResult | None:
    path = folder / _RUN
    return msgspec.json.decode(path.read_bytes(), type=RunResult) if path.exists() else None
