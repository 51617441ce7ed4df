"""The levels of the preset `auto`: chosen on some repositories, reported on others.

    python bench/frontier.py [ROW ...]

Replays the dev sessions with each candidate of the ladder below at read 0.1, write 1.25. A level is the candidate
with the lowest effective cost whose lost events stay below what the level allows. For the table of left-out folds
the choice is made five times, each time on four folds of repositories, and measured on the fifth, at each price row
(all six by default); so no session helped to choose the values that it is measured with. At the other prices each
fold is only measured with what the other four chose. Writes bench/results/frontier.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from measured import NOTHING, RESULTS, SHORTEST, Strict, auto, recordings
from usage import show_help

from prunus import Pruner
from prunus.cli.table import plain
from prunus.clients.sessions import Session, load
from prunus.lab.conversations import conversations
from prunus.lab.cost import cost, events, lost_rate
from prunus.lab.folds import FOLDS, fold_of
from prunus.lab.policy import Unpruned
from prunus.lab.pool import spread
from prunus.lab.replay import Reader, replay
from prunus.lab.retention import Needs, retention
from prunus.providers import provider_named
from prunus.schedule.prices import NAMED_ROWS
from prunus.settings.presets import ALLOWED_LOSS

CHOSEN_AT = "0.1/1.25"
OFF: Mapping[str, Any] = {"enabled": False}


def candidate(risk: float, reads: float = 0.0, *, edits: bool = False, soon: bool = False) -> dict[str, Any]:
    """Strategies by how likely a part may be used again: of past tasks, and (`reads`) inside a task.

    With `edits`, inputs of edits and pages of markup go too. With `soon`, results and inputs that are done with go
    earlier.
    """
    return {
        "past_tasks": {"risk": risk, "edits": edits},
        "finished_inputs": {"edits": edits, **({"idle": 20} if soon else {})},
        "finished_results": {"search": 4, "idle": 4} if soon else {},
        "long_outputs": {"markup": edits},
        "unlikely_reads": {"enabled": True, "risk": reads} if reads else OFF,
    }


LADDER: Mapping[str, Mapping[str, Any]] = {
    "risk .004": candidate(0.004),
    "risk .007": candidate(0.007),
    "risk .01": candidate(0.01),
    "risk .015, edits": candidate(0.015, edits=True),
    "risk .02, edits": candidate(0.02, edits=True),
    "risk .05, edits, soon": candidate(0.05, edits=True, soon=True),
    "risk .05, edits, soon, reads .05": candidate(0.05, 0.05, edits=True, soon=True),
}


class Row(NamedTuple):
    """One conversation with one candidate at one price."""

    price: str
    candidate: str
    fold: int
    requests: int
    unpruned: float
    cost: float
    effective: float
    lost: int


def main(rows: Sequence[str]) -> None:
    paths = recordings()
    seen = _measured(paths, (CHOSEN_AT,), [tuple(LADDER)] * FOLDS)
    if not seen:
        print(NOTHING)
        return
    chosen = {level: choose(seen, most) for level, most in ALLOWED_LOSS.items()}
    best = {level: _best_elsewhere(seen, most) for level, most in ALLOWED_LOSS.items()}
    others = tuple(row for row in rows if row != CHOSEN_AT)
    wanted = [tuple(dict.fromkeys(of_folds)) for of_folds in zip(*best.values(), strict=True)]
    found = [*seen, *_measured(paths, others, wanted)]
    ladder = {name: figures([one for one in seen if one.candidate == name]) for name in LADDER}
    left_out = {
        level: {row: figures(_of_folds(found, row, names)) for row in rows} for level, names in best.items()
    }
    print(plain(("candidate", CHOSEN_AT), [(name, said(one)) for name, one in ladder.items()], right=(1,)), "\n")
    table = [(f"{level}: {chosen[level]}", *map(said, of_rows.values())) for level, of_rows in left_out.items()]
    print("Chosen on all folds, and measured on folds that did not help to choose")
    print(plain(("level", *rows), table, right=range(1, len(rows) + 1)))
    made = {"chosen": chosen, "chosen by the other folds": best, "ladder": ladder, "left out": left_out}
    (RESULTS / "frontier.json").write_text(json.dumps(made, indent=1) + "\n")


def _measured(paths: Sequence[Path], rows: Sequence[str], names: Sequence[Sequence[str]]) -> list[Row]:
    """Every conversation at these prices with the candidates that are named for its fold."""
    work = partial(measure, rows=rows, names=names)
    return [one for some in spread(work, paths) for one in some] if rows else []


def measure(path: Path, rows: Sequence[str], names: Sequence[Sequence[str]]) -> list[Row]:
    """The conversations of a recording."""
    whole = (one for session in load(path) for one in conversations(session))
    return [row for one in whole if len(one.requests) >= SHORTEST for row in _rows(one, rows, names)]


def _rows(one: Session, rows: Sequence[str], names: Sequence[Sequence[str]]) -> Iterator[Row]:
    reader = Reader(provider_named(one.format))
    needs, base, fold = Needs(one, reader), replay(one, Unpruned(), reader), fold_of(one)
    for row in rows:
        price = NAMED_ROWS[row]
        whole = cost(base, price).cost
        for name in names[fold]:
            sent = replay(one, Strict(Pruner(auto(row, LADDER[name]))), reader)
            paid, lost = cost(sent, price).cost, retention(needs, sent).lost
            again = sum(part.cost(price) for part in lost)
            yield Row(row, name, fold, len(one.requests), whole, paid, paid + again, events(lost))


def _of_folds(found: Sequence[Row], price: str, names: Sequence[str]) -> list[Row]:
    """The conversations of each fold with the candidate of that fold."""
    return [one for one in found if (one.price, one.candidate) == (price, names[one.fold])]


def choose(found: Sequence[Row], most: float) -> str:
    """The candidate with the lowest effective cost that loses at most so many of 1,000 requests."""
    sums = {name: figures([one for one in found if one.candidate == name]) for name in LADDER}
    bound = max(most, min(one["lost"] for one in sums.values()))
    able = [name for name in LADDER if sums[name]["lost"] <= bound]
    return min(able, key=lambda name: sums[name]["effective"])


def _best_elsewhere(seen: Sequence[Row], most: float) -> list[str]:
    """For each fold the candidate that the other folds choose."""
    return [choose([one for one in seen if one.fold != fold], most) for fold in range(FOLDS)]


def figures(rows: Sequence[Row]) -> dict[str, float]:
    """Cost and effective cost as shares of not pruning, lost events of 1,000 requests, and the worst session."""
    unpruned = sum(one.unpruned for one in rows)
    rate = lost_rate([(one.lost, one.requests) for one in rows])
    return {
        "cost": round(sum(one.cost for one in rows) / unpruned, 4),
        "effective": round(sum(one.effective for one in rows) / unpruned, 4),
        "lost": round(rate.value, 2),
        "low": round(rate.low, 1),
        "high": round(rate.high, 1),
        "worst": round(max(one.cost / one.unpruned for one in rows), 3),
    }


def said(one: Mapping[str, float]) -> str:
    return f"{one['effective']:.3f} / {one['lost']:.1f}"


if __name__ == "__main__":
    show_help()
    main(sys.argv[1:] or tuple(NAMED_ROWS))
