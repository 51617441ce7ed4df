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
from pathlib import Path
from typing import Any, NamedTuple

from prunus import Pruner, Settings
from prunus.formats import format_named
from prunus.lab.conversations import conversations
from prunus.lab.cost import cost
from prunus.lab.masks import Unpruned
from prunus.lab.pool import spread
from prunus.lab.pruned import Pruning
from prunus.lab.reading import Reader
from prunus.lab.replay import replay
from prunus.lab.retention import Needs, retention
from prunus.policy.prices import NAMED_ROWS
from prunus.transcripts import load

HERE = Path(__file__).resolve().parent
SESSIONS = HERE.parent / "../shared/corpus/dev"
AGENTS = ("claude-code", "codex", "opencode", "pi", "chat-export", "mini-swe-agent")
PRICE = NAMED_ROWS["0.1/1.25"]
NEVER = 1_000_000

VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "auto": {},
    "reads of edited files left alone": {"finished_results": {"idle": NEVER}},
    "shell output left alone": {"finished_results": {"shell": NEVER}},
    "outlines of 10 %": {"finished_results": {"share": 0.10}},
    "outlines of 25 %": {"finished_results": {"share": 0.25}},
    "inputs left alone": {"finished_inputs": {"enabled": False}},
    "what was written always kept": {"finished_inputs": {"enabled": False}, "past_tasks": {"writes": False}},
    "inputs after 15 idle turns": {"finished_inputs": {"idle": 15}},
    "thinking left alone": {"old_thinking": {"enabled": False}},
    "long outputs not cut before first send": {"long_outputs": {"at_once": False}},
    "without shown_lines": {"shown_lines": {"enabled": False}},
    "without duplicate_calls.point_back": {"duplicate_calls": {"point_back": False}},
    "without folded_views": {"folded_views": {"enabled": False}},
    "without past_tasks": {"past_tasks": {"enabled": False}},
    "past_tasks.risk 0.02": {"past_tasks": {"risk": 0.02}},
}


class Changed(Pruning):
    """The preset with some strategies changed, for one conversation; it may not fail."""

    name = "changed"

    def __init__(self, strategies: dict[str, dict[str, Any]]) -> None:
        prices = [{"model": "*", "read": PRICE.read, "write": PRICE.write, "ttl": PRICE.ttl}]
        super().__init__(Pruner(Settings(preset="auto", prices=prices, strategies=strategies)))

    def start(self) -> Changed:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        out = super().__call__(body, now)
        if self.last.error:
            raise RuntimeError(self.last.error)
        return out


class Measured(NamedTuple):
    """One conversation under one variant."""

    variant: str
    cost: float
    unpruned: float
    hard: int
    hard_kept: int
    soft: int
    soft_kept: int
    breaks: int
    requests: int


def measure(path: Path) -> list[Measured]:
    found = []
    for one in (piece for session in load(path) for piece in conversations(session)):
        if len(one.requests) < 15:
            continue
        reader = Reader(format_named(one.format))
        needs = Needs(one, reader)
        whole = cost(replay(one, Unpruned(), reader), PRICE).cost
        for name, strategies in VARIANTS.items():
            sent = replay(one, Changed(strategies), reader)
            paid, kept = cost(sent, PRICE), retention(needs, sent)
            uses = kept.hard, kept.hard_kept, kept.soft, kept.soft_kept
            found.append(Measured(name, paid.cost, whole, *uses, paid.breaks, len(one.requests)))
    return found


def summed(found: list[Measured]) -> dict[str, float]:
    paid, whole, hard, hard_kept, soft, soft_kept, breaks, requests = (
        sum(one[at] for one in found) for at in range(1, 9)
    )
    figures = {
        "cost": paid / whole,
        "worst": max(one.cost / one.unpruned for one in found),
        "hard": hard_kept / hard if hard else 1.0,
        "soft": soft_kept / soft if soft else 1.0,
        "breaks": 100 * breaks / requests,
    }
    return {name: round(figure, 4) for name, figure in figures.items()}


def main(given: list[str]) -> None:
    paths = list(map(Path, given)) or sorted(p for p in SESSIONS.rglob("*.gz") if p.parent.name in AGENTS)
    found = [one for some in spread(measure, paths) for one in some]
    if not found:
        print("No recorded sessions of that length here (../shared/corpus/dev); there is nothing to compare.")
        return
    result = {name: summed([one for one in found if one.variant == name]) for name in VARIANTS}
    print(f"{'':40}   cost   worst    hard    soft  breaks")
    for name, figures in result.items():
        print("{:40} {cost:6.4f} {worst:7.3f} {hard:7.4f} {soft:7.4f} {breaks:7.1f}".format(name, **figures))
    if not given:
        (HERE / "results" / "variants.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
