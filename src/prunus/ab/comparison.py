"""Both arms side by side, paired by task, with intervals over resampled tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.ab.results import ARMS, RunResult
from prunus.lab.loss import interval

Group = tuple[tuple[RunResult, RunResult], ...]
"""The pairs of one task: without Prunus, and behind it."""


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


_FIGURES: Final[tuple[tuple[str, bool, Callable[[RunResult], float]], ...]] = (
    ("solved", False, lambda run: float(run.solved)),
    ("dollars", True, lambda run: run.dollars),
    ("requests", True, lambda run: float(run.requests)),
    ("calls", True, lambda run: float(run.calls)),
    ("re-reads", False, lambda run: float(run.rereads)),
    ("minutes", True, lambda run: run.seconds / 60),
)
"""Name, whether the arms are compared as a share, and the value of one run."""


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
