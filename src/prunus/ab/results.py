"""The runs of a trial on disk: what is planned, what is done, what was spent.

OUT/trial.json                       what is compared
OUT/runs/TASK/REPEAT-ARM/            one run
    run.json                         its result; a run without it is not done
    exchanges.jsonl.gz               every request to the provider and its answer
    agent.out, agent.err, check.txt  what the agent and the checks wrote
    work/                            the repository as the agent left it
OUT/runs/TASK/REPEAT-ARM.stopped-N/  a run that was stopped; it is made again, and its cost counts
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
    """One task, done once in one arm."""

    task: str
    repeat: int
    """Counted from 1."""
    arm: Arm

    def folder(self, out: Path) -> Path:
        """Where the run is kept."""
        return out / "runs" / self.task / f"{self.repeat}-{self.arm}"

    def fresh_folder(self, out: Path) -> Path:
        """An empty folder for the run; what a stopped attempt left behind is kept under another name."""
        folder = self.folder(out)
        if folder.exists():
            number = 1
            while (aside := folder.with_name(f"{folder.name}.stopped-{number}")).exists():
                number += 1
            folder.rename(aside)
        folder.mkdir(parents=True)
        return folder

    def save(self, out: Path, result: RunResult) -> None:
        """Write the result; the run is done from then on."""
        path = self.folder(out) / _RUN
        beside = path.with_suffix(".new")
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
        beside.replace(path)

    def result(self, out: Path) -> RunResult | None:
        """The result; None if the run is not done."""
        return _saved_result(self.folder(out))


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of one run."""

    task: str
    repeat: int
    arm: Arm
    solved: bool
    exit_code: int
    """That of the agent; negative if a signal ended it."""
    timed_out: bool
    """Whether the agent was ended because it took too long; the checks are made all the same."""
    seconds: float
    """How long the agent worked."""
    requests: int
    """Requests that the provider answered and counted."""
    refused: int
    """Requests that the provider answered with an error."""
    calls: int
    rereads: int
    usage: Usage
    long_writes: int
    dollars: float
    models: Mapping[str, int] = field(default_factory=dict)
    """How many requests each model answered."""


def planned(tasks: Iterable[str], repeat: int) -> list[PlannedRun]:
    """All runs of a trial in their order.

    The arms take turns in going first: the second may find a prefix in the cache that the first has paid for.
    """
    return [
        PlannedRun(task, number, arm)
        for number in range(1, repeat + 1)
        for index, task in enumerate(tasks)
        for arm in (ARMS if (index + number) % 2 else reversed(ARMS))
    ]


def agree_on(out: Path, compared: Mapping[str, object]) -> None:
    """Note what a trial compares. Raises SettingsError if the folder holds runs of another comparison."""
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
    """The dollars of all runs in a folder, those of stopped runs included."""
    return sum(_dollars(folder, own) for folder in sorted((out / "runs").glob("*/*")))


def _dollars(folder: Path, own: OwnTariffs) -> float:
    result = _saved_result(folder)
    return result.dollars if result else sum(dollars_of(exchange, own) for exchange in read_exchanges(folder))


def _saved_result(folder: Path) -> RunResult | None:
    path = folder / _RUN
    return msgspec.json.decode(path.read_bytes(), type=RunResult) if path.exists() else None
