"""What each choice of the preset `auto` is worth: one strategy changed at a time, on the dev sessions.

    python bench/variants.py [SESSION ...]

Cost against no pruning at read 0.1, write 1.25, worst session, hard and soft retention, breaks per 100 requests.
Other strategies go on, and may cut what the changed one leaves alone. The choices of the schedule are measured by
`bench/schedule.py`. Writes bench/results/variants.json; sessions that are given are measured alone, and nothing is
written.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measured import NEVER, NOTHING, RESULTS, auto, figures, measured, pieces, recordings
from usage import show_help

from prunus import Pruner
from prunus.lab.pool import spread
from prunus.lab.run import Measurement

ROW = "0.1/1.25"
DIGITS = {"cost": 4, "worst": 4, "hard": 4, "soft": 4, "breaks": 4}

VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "auto": {},
    "reads of edited files left alone": {"finished_results": {"idle": NEVER}},
    "shell output left alone": {"finished_results": {"shell": NEVER}},
    "outlines of 10 %": {"finished_results": {"share": 0.10}},
    "outlines of 25 %": {"finished_results": {"share": 0.25}},
    "inputs left alone": {"finished_inputs": {"enabled": False}},
    "what was written always kept": {"finished_inputs": {"enabled": False}, "past_tasks": {"writes": False}},
    "no outline of what was written": {
        name: {"written": 0} for name in ("folded_views", "finished_inputs", "past_tasks")
    },
    "inputs after 15 idle turns": {"finished_inputs": {"idle": 15}},
    "thinking left alone": {"old_thinking": {"enabled": False}},
    "long outputs not cut before first send": {"long_outputs": {"at_once": False}},
    "without shown_lines": {"shown_lines": {"enabled": False}},
    "without duplicate_calls.point_back": {"duplicate_calls": {"point_back": False}},
    "without folded_views": {"folded_views": {"enabled": False}},
    "without past_tasks": {"past_tasks": {"enabled": False}},
    "past_tasks.risk 0.02": {"past_tasks": {"risk": 0.02}},
}


def changed(row: str) -> Iterator[tuple[str, Pruner]]:
    for name, strategies in VARIANTS.items():
        yield name, Pruner(auto(row, strategies))


def measure(path: Path) -> list[Measurement]:
    return [found for one in pieces(path) for found in measured(one, (ROW,), changed)]


def main(given: list[str]) -> None:
    found = [one for some in spread(measure, list(map(Path, given)) or recordings()) for one in some]
    if not found:
        print(NOTHING)
        return
    result: dict[str, dict[str, float]] = {}
    print(f"{'':40}   cost   worst    hard    soft  breaks")
    for name in VARIANTS:
        shown = result[name] = figures(found, ROW, name, DIGITS)
        print("{:40} {cost:6.4f} {worst:7.3f} {hard:7.4f} {soft:7.4f} {breaks:7.1f}".format(name, **shown))
    if not given:
        (RESULTS / "variants.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    show_help()
    main(sys.argv[1:])
