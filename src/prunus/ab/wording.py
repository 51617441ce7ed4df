"""What a trial says about itself: before it begins, after each run, and at the end."""

from __future__ import annotations

from collections.abc import Iterator

from prunus.ab.comparison import ArmFigures, Comparison
from prunus.ab.results import RunResult
from prunus.ab.trial import Trial


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
