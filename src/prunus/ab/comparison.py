"""What a trial says: before it begins, after each run, and at the end both arms side by side, paired by task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.ab.results import ARMS, RunResult
from prunus.ab.trial import Trial
from prunus.lab.cost import interval

Group = tuple[tuple[RunResult, RunResult], ...]
"""The pairs of one task: without Prunus, and behind it."""
_FIGURES: Final[tuple[tuple[str, bool, Callable[[RunResult], float]], ...]] = (
    ("solved", False, lambda run: float(run.solved)),
    ("dollars", True, lambda run: run.dollars),
    ("requests", True, lambda run: float(run.requests)),
    ("calls", True, lambda run: float(run.calls)),
    ("re-reads", False, lambda run: float(run.rereads)),
    ("minutes", True, lambda run: run.seconds / 60),
)
"""Name, whether the arms are compared as a share, and the value of one run."""


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """One figure in both arms, and how the arms compare."""

    name: str
    without: float
    behind: float
    relative: bool
    """Whether `change` is the share that the arm behind Prunus needs, or the difference of the two."""
    change: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a trial found, over the pairs of which both runs are done."""

    pairs: int
    tasks: int
    figures: tuple[ArmFigures, ...]
    only_without: tuple[str, ...]
    """Tasks with a pair that only the arm without Prunus solved."""
    only_behind: tuple[str, ...]


def compare(results: Sequence[RunResult]) -> Comparison | None:
    """Compare the arms; None as long as no pair is complete.

    Whole tasks are drawn again, because repeats of one task are alike. Solved and re-reads are differences per
    pair: both can be 0, and a share of nothing says nothing.
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


def _figure(groups: Sequence[Group], name: str, relative: bool, value: Callable[[RunResult], float]) -> ArmFigures:
    def change(drawn: Sequence[Group]) -> float:
        pairs = [pair for group in drawn for pair in group]
        without, behind = (sum(value(pair[side]) for pair in pairs) for side in (0, 1))
        if relative:
            return behind / without if without else 1.0
        return (behind - without) / len(pairs)

    without, behind = (sum(value(pair[side]) for group in groups for pair in group) for side in (0, 1))
    return ArmFigures(name, without, behind, relative, change(groups), *interval(groups, change))


def announcement(trial: Trial, budget: float | None) -> Iterator[str]:
    """What will run, and what it may cost."""
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
    if budget is not None:
        yield f"It stops when ${budget:.2f} is spent."


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def result_line(result: RunResult) -> str:
    """One run in one line."""
    solved = "solved" if result.solved else "not solved"
    late = ", out of time" if result.timed_out else ""
    return (
        f"{result.task} {result.repeat} {result.arm}: {solved}{late}, ${result.dollars:.2f}, "
        f"{result.requests} requests, {result.rereads} re-reads, {result.seconds / 60:.1f} min"
    )


def comparison_table(compared: Comparison) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Headings and rows: each figure in both arms, and how the arms compare."""
    headings = ("", "without", "behind", "compared", "95 % interval")
    return headings, [_row(one, compared) for one in compared.figures]


def legend(compared: Comparison) -> str:
    """How to read the table, and which tasks only one arm solved."""
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
    match one.name:
        case "solved":
            sums = tuple(f"{figure:.0f} of {compared.pairs}" for figure in (one.without, one.behind))
        case "dollars":
            sums = tuple(f"${figure:.2f}" for figure in (one.without, one.behind))
        case "minutes":
            sums = tuple(f"{figure:.1f}" for figure in (one.without, one.behind))
        case _:
            sums = tuple(f"{figure:,.0f}" for figure in (one.without, one.behind))
    change = f"x {one.change:.2f}" if one.relative else f"{one.change:+.2f} a run"
    ends = tuple(f"{end:.2f}" if one.relative else f"{end:+.2f}" for end in (one.low, one.high))
    return one.name, *sums, change, " to ".join(ends) if compared.tasks > 1 else "-"
