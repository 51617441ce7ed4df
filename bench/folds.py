"""What folded views are worth: cost and what is lost, beside other ways to treat reads and edits of a file.

    python bench/folds.py [ROW ...]

For each price row the cost against no pruning, the worst session, hard and soft retention (lines and files, names),
and breaks per 100 requests, on the dev sessions; written to bench/results/folds.json. Everything else is as in the
preset `auto`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from measured import NEVER, NOTHING, RESULTS, ROWS, auto, figures, measured, pieces, recordings
from usage import show_help

from prunus import Pruner
from prunus.lab.pool import spread
from prunus.lab.run import Measurement

DIGITS = {"cost": 3, "worst": 2, "hard": 4, "soft": 4, "breaks": 1}

FOLD: dict[str, Any] = {"enabled": True}
UNFOLDED: dict[str, Any] = {"enabled": False}
LASTING: dict[str, Any] = {"enabled": True, "idle": NEVER, "gone": NEVER}
KEPT: dict[str, Any] = {
    "finished_results": {"idle": NEVER},
    "finished_inputs": {"enabled": False},
}

VARIANTS: dict[str, dict[str, Any]] = {
    "without folds": {"folded_views": UNFOLDED},
    "reads and inputs kept": {"folded_views": UNFOLDED, **KEPT},
    "reads dropped after edits": {"folded_views": UNFOLDED, "stale_reads": {"after_edits": True}},
    "one file, one view": {"folded_views": UNFOLDED, "repeated_views": {"any_operation": True}},
    "folds alone, lasting": {"folded_views": LASTING, **KEPT},
    "folds": {"folded_views": FOLD},
    "folds that last, rest as it is": {"folded_views": LASTING},
}


def folding(row: str) -> Iterator[tuple[str, Pruner]]:
    for name, strategies in VARIANTS.items():
        yield name, Pruner(auto(row, strategies))


def measure(path: Path, rows: tuple[str, ...]) -> list[Measurement]:
    return [found for one in pieces(path) for found in measured(one, rows, folding)]


def main(rows: tuple[str, ...]) -> None:
    found = [one for some in spread(partial(measure, rows=rows), recordings()) for one in some]
    if not found:
        print(NOTHING)
        return
    results: dict[str, dict[str, dict[str, float]]] = {row: {} for row in rows}
    for row, of_row in results.items():
        print(f"\n{row:46}  cost  worst   hard   soft  breaks")
        for name in VARIANTS:
            shown = of_row[name] = figures(found, row, name, DIGITS)
            print("{:46} {cost:.3f}  {worst:.2f}  {hard:.4f} {soft:.4f}  {breaks:.1f}".format(name, **shown))
    (RESULTS / "folds.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    show_help()
    main(tuple(sys.argv[1:]) or ROWS)
