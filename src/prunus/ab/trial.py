"""A trial: which runs it makes, what they may cost, and how the two arms compare.

A trial makes the runs of both arms one after the other. Each result is on disk before the next run begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prunus.ab.agent_run import AgentSetup, perform
from prunus.ab.exchanges import Meter, OwnTariffs
from prunus.ab.results import ARMS, PlannedRun, RunResult, agree_on, planned, spent
from prunus.ab.tasks import CodingTask
from prunus.lab.cost import interval
from prunus.providers.usage import Usage
from prunus.schedule.dollars import tariff_of

TYPICAL: Final = Usage(input=0, cache_read=2_200_000, cache_write=130_000, output=24_000)
"""The mean usage of a run without pruning, from our 44 recorded sessions with 30 to 90 requests (56 on average).

Cached and written tokens assume the prices 0.1/1.25 and the recorded times. The output counts only text that the
history shows, so it lacks hidden reasoning.
"""
PairedRuns = tuple[tuple[RunResult, RunResult], ...]
"""The pairs of runs of one task: the run without Prunus, then the run behind Prunus."""
_FIGURES: Final[tuple[tuple[str, bool, Callable[[RunResult], float]], ...]] = (
    ("solved", False, lambda run: float(run.solved)),
    ("dollars", True, lambda run: run.dollars),
    ("requests", True, lambda run: float(run.requests)),
    ("calls", True, lambda run: float(run.calls)),
    ("re-reads", False, lambda run: float(run.rereads)),
    ("minutes", True, lambda run: run.seconds / 60),
)
"""The name of each figure, whether the report divides the arms or subtracts them, and the value of one run."""
_FORMS: Final = {"solved": "{:.0f} of {pairs}", "dollars": "${:.2f}", "minutes": "{:.1f}"}
"""How the report writes the sum of a figure; other figures are whole numbers."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected cost of the remaining runs."""

    runs: int
    each: float | None
    """Dollars for one run; None if the model has no known price, or if the agent chooses the model."""
    measured: int
    """The number of finished runs that the forecast uses; 0 if it uses recorded sessions."""

    @property
    def dollars(self) -> float | None:
        """Dollars for all remaining runs together."""
        return None if self.each is None else self.runs * self.each


def forecast(remaining: int, results: Sequence[RunResult], model: str, own: OwnTariffs = ()) -> Forecast:
    """Return the expected cost of the remaining runs.

    A run is expected to cost as much as the finished runs did. Before the first run, recorded sessions stand in.
    """
    if results:
        return Forecast(remaining, sum(run.dollars for run in results) / len(results), len(results))
    tariff = tariff_of(model, own) if model else None
    return Forecast(remaining, None if tariff is None else tariff.dollars(TYPICAL), 0)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a trial compares, and the folder that keeps its results."""

    setup: AgentSetup
    tasks: tuple[CodingTask, ...]
    repeat: int
    out: Path
    budget: float | None
    """The dollars at which the trial stops; None to announce the trial without a run."""
    compared: Mapping[str, object]
    """What all runs in the folder have in common. A second call with other values is refused."""

    @property
    def runs(self) -> list[PlannedRun]:
        """All runs, in the order in which they are made."""
        return planned([task.name for task in self.tasks], self.repeat)

    @property
    def remaining(self) -> list[PlannedRun]:
        """The runs that are not done yet."""
        return [run for run in self.runs if run.result(self.out) is None]

    @property
    def finished(self) -> tuple[RunResult, ...]:
        """The results of the finished runs."""
        return tuple(result for run in self.runs if (result := run.result(self.out)) is not None)

    @property
    def spent(self) -> float:
        """The dollars spent so far, including those of stopped runs."""
        return spent(self.out, self.setup.tariffs)

    def forecast(self) -> Forecast:
        """Return the expected cost of the remaining runs."""
        return forecast(len(self.remaining), self.finished, self.setup.model, self.setup.tariffs)

    def go_on(self, starting: Callable[[PlannedRun, Meter], None]) -> Iterator[RunResult]:
        """Make the remaining runs, and yield each result. Calls `starting` before each run.

        Raises Stopped if the budget is used up; the next call makes the stopped run again. Raises AgentFailed if
        the agent gets no answer from the model.
        """
        agree_on(self.out, self.compared)
        tasks = {task.name: task for task in self.tasks}
        meter = Meter(self.budget or 0.0, self.spent, self.setup.tariffs)
        for run in self.remaining:
            starting(run, meter)
            result = perform(self.setup, tasks[run.task], run, meter, run.fresh_folder(self.out))
            run.save(self.out, result)
            yield result


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """One figure of the report: its sum in each arm, and how the arms compare."""

    name: str
    without: float
    behind: float
    relative: bool
    """Whether `change` is the quotient of the arms (behind / without) or their difference per pair."""
    change: float
    low: float
    """The lower end of the 95 % interval of `change`."""
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a trial, over all pairs whose two runs are finished."""

    pairs: int
    tasks: int
    figures: tuple[ArmFigures, ...]
    only_without: tuple[str, ...]
    """Tasks with a pair of which only the run without Prunus solved the task."""
    only_behind: tuple[str, ...]


def compare(results: Sequence[RunResult]) -> Comparison | None:
    """Return the comparison of the arms, or None if no pair is complete yet.

    The intervals come from resampling whole tasks, because repeats of one task resemble each other. For solved runs
    and re-reads the comparison is a difference per pair: both can be 0 in an arm, and dividing by 0 says nothing.
    """
    found = {(run.task, run.repeat, run.arm): run for run in results}
    groups: dict[str, list[tuple[RunResult, RunResult]]] = {}
    for task, repeat in dict.fromkeys((run.task, run.repeat) for run in results):
        without, behind = (found.get((task, repeat, arm)) for arm in ARMS)
        if without is not None and behind is not None:
            groups.setdefault(task, []).append((without, behind))
    if not groups:
        return None
    listed = [tuple(group) for group in groups.values()]
    pairs = [pair for group in listed for pair in group]
    return Comparison(
        len(pairs),
        len(listed),
        tuple(_figure(listed, *figure) for figure in _FIGURES),
        tuple(sorted({a.task for a, b in pairs if a.solved and not b.solved})),
        tuple(sorted({a.task for a, b in pairs if b.solved and not a.solved})),
    )


def _figure(
    groups: Sequence[PairedRuns], name: str, relative: bool, value: Callable[[RunResult], float]
) -> ArmFigures:
    def change(drawn: Sequence[PairedRuns]) -> float:
        pairs = [pair for group in drawn for pair in group]
        without, behind = (sum(value(pair[side]) for pair in pairs) for side in (0, 1))
        if relative:
            return behind / without if without else 1.0
        return (behind - without) / len(pairs)

    without, behind = (sum(value(pair[side]) for group in groups for pair in group) for side in (0, 1))
    return ArmFigures(name, without, behind, relative, change(groups), *interval(groups, change))


def announcement(trial: Trial) -> Iterator[str]:
    """Yield the lines that say what will run and what it may cost, for the user to read before the first run."""
    runs, remaining = len(trial.runs), len(trial.remaining)
    agent, model = trial.setup.launcher.name, trial.setup.model or "its own choice of model"
    many = f"{_counted(len(trial.tasks), 'task')}, {_counted(trial.repeat, 'repeat')}, 2 arms"
    yield f"{agent} with {model}: {many}: {runs} runs, {remaining} to do"
    expected = trial.forecast()
    if remaining and expected.dollars is None:
        yield "What it may cost is not known, because the price of the model is not known (--model, --price)."
    elif remaining:
        basis = f"the {expected.measured} runs so far" if expected.measured else "recorded sessions of that length"
        yield f"It may cost about ${expected.dollars:.2f} more: ${expected.each:.2f} a run, as {basis} did."
    if trial.out.exists():
        yield f"${trial.spent:.2f} is spent so far in {trial.out}."
    if trial.budget is not None:
        yield f"It stops when ${trial.budget:.2f} is spent."


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def result_line(result: RunResult) -> str:
    """Return the result of one run as one line."""
    solved = "solved" if result.solved else "not solved"
    late = ", out of time" if result.timed_out else ""
    return (
        f"{result.task} {result.repeat} {result.arm}: {solved}{late}, ${result.dollars:.2f}, "
        f"{result.requests} requests, {result.rereads} re-reads, {result.seconds / 60:.1f} min"
    )


def comparison_table(compared: Comparison) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the headings and rows of the report: each figure in both arms, and how the arms compare."""
    headings = ("", "without", "behind", "compared", "95 % interval")
    return headings, [_row(one, compared) for one in compared.figures]


def legend(compared: Comparison) -> str:
    """Return the text below the table: how to read it, and which tasks only one arm solved."""
    said = [
        f"{_counted(compared.pairs, 'pair')} of runs on {_counted(compared.tasks, 'task')}. The interval is over "
        "resampled tasks and needs two of them; one that contains x 1.00 or +0.00 shows no difference."
    ]
    if compared.only_without:
        said.append(f"Solved only without Prunus: {', '.join(compared.only_without)}.")
    if compared.only_behind:
        said.append(f"Solved only behind Prunus: {', '.join(compared.only_behind)}.")
    return "\n".join(said)


def _row(one: ArmFigures, compared: Comparison) -> tuple[str, ...]:
    form = _FORMS.get(one.name, "{:,.0f}")
    sums = (form.format(figure, pairs=compared.pairs) for figure in (one.without, one.behind))
    change = f"x {one.change:.2f}" if one.relative else f"{one.change:+.2f} a run"
    ends = tuple(f"{end:.2f}" if one.relative else f"{end:+.2f}" for end in (one.low, one.high))
    return one.name, *sums, change, " to ".join(ends) if compared.tasks > 1 else "-"
