"""A trial: what it may cost, and all runs of both arms in turn, each on disk before the next begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prunus.ab.agent_run import AgentSetup, perform
from prunus.ab.exchanges import Meter, OwnTariffs
from prunus.ab.results import PlannedRun, RunResult, agree_on, planned, spent
from prunus.ab.tasks import CodingTask
from prunus.providers.usage import Usage
from prunus.schedule.dollars import tariff_of

TYPICAL: Final = Usage(input=0, cache_read=2_200_000, cache_write=130_000, output=24_000)
"""The mean of the 44 dev sessions with 30 to 90 requests (56 on average), without pruning.

Cached and written tokens at 0.1/1.25 with the recorded times; output is what stands in the history, so that hidden
reasoning is missing.
"""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the remaining runs may cost."""

    runs: int
    each: float | None
    """Dollars for one run; None if the model has no price, or is the agent's own choice."""
    measured: int
    """The number of finished runs that the forecast rests on; 0 if it rests on recorded sessions."""

    @property
    def dollars(self) -> float | None:
        """Dollars for all remaining runs."""
        return None if self.each is None else self.runs * self.each


def forecast(remaining: int, results: Sequence[RunResult], model: str, own: OwnTariffs = ()) -> Forecast:
    """What the remaining runs may cost: as much as the finished ones, or as recorded sessions of that length."""
    if results:
        return Forecast(remaining, sum(run.dollars for run in results) / len(results), len(results))
    tariff = tariff_of(model, own) if model else None
    return Forecast(remaining, None if tariff is None else tariff.dollars(TYPICAL), 0)


@dataclass(frozen=True, slots=True)
class Trial:
    """What is compared, and where it is kept."""

    setup: AgentSetup
    tasks: tuple[CodingTask, ...]
    repeat: int
    out: Path
    budget: float
    compared: Mapping[str, object]
    """What all runs in the folder have in common; a second call with something else is refused."""

    @property
    def runs(self) -> list[PlannedRun]:
        """All runs in their order."""
        return planned([task.name for task in self.tasks], self.repeat)

    @property
    def remaining(self) -> list[PlannedRun]:
        """The runs that are not done yet."""
        return [run for run in self.runs if run.result(self.out) is None]

    @property
    def finished(self) -> tuple[RunResult, ...]:
        """The results so far."""
        return tuple(result for run in self.runs if (result := run.result(self.out)) is not None)

    @property
    def spent(self) -> float:
        """The dollars so far, those of stopped runs included."""
        return spent(self.out, self.setup.tariffs)

    def forecast(self) -> Forecast:
        """What the remaining runs may cost."""
        return forecast(len(self.remaining), self.finished, self.setup.model, self.setup.tariffs)

    def go_on(self, starting: Callable[[PlannedRun, Meter], None]) -> Iterator[RunResult]:
        """Make the remaining runs and give each result; `starting` is called before each run.

        Raises Stopped if the budget is used up; the next call goes on with the run that was stopped. Raises
        AgentFailed if the agent does not get to work.
        """
        agree_on(self.out, self.compared)
        tasks = {task.name: task for task in self.tasks}
        meter = Meter(self.budget, self.spent, self.setup.tariffs)
        for run in self.remaining:
            starting(run, meter)
            result = perform(self.setup, tasks[run.task], run, meter, run.fresh_folder(self.out))
            run.save(self.out, result)
            yield result
