"""What folded views are worth: cost and what is lost, beside other ways to treat reads and edits of a file.

    python bench/folds.py [ROW ...]

For each price row the cost against no pruning, the worst session, hard and soft retention (lines and files, names),
and breaks per 100 requests, on the dev sessions; written to bench/results/folds.json. Everything else is as in the
preset `auto`.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from prunus import Pruner, Settings
from prunus.formats import format_named
from prunus.lab.conversations import conversations
from prunus.lab.cost import cost
from prunus.lab.masks import Unpruned
from prunus.lab.reading import Reader
from prunus.lab.replay import replay
from prunus.lab.retention import Needs, retention
from prunus.policy.prices import NAMED_ROWS
from prunus.transcripts import load

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "dev"
AGENTS = ("claude-code", "codex", "opencode", "pi", "chat-export", "mini-swe-agent")
ROWS = ("0.1/1.25", "0.025/1.25", "0.5/1.0", "0.02/1.0")
NEVER = 1_000_000

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


class Folding:
    """The preset with something changed, at a price."""

    declared = ""

    def __init__(self, name: str, row: str) -> None:
        self.name = name
        price = NAMED_ROWS[row]
        prices = [{"model": "*", "read": price.read, "write": price.write, "ttl": price.ttl}]
        self._pruner = Pruner(Settings(preset="auto", prices=prices, strategies=VARIANTS[name]))

    def start(self) -> Folding:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        outcome = self._pruner.prune(body, now=now)
        self.declared = outcome.flush.reason if outcome.flush else ""
        if outcome.error is not None:
            raise RuntimeError(outcome.error)
        return outcome.body


class Measured(NamedTuple):
    """One conversation under one policy."""

    name: str
    row: str
    cost: float
    unpruned: float
    hard: int
    hard_kept: int
    soft: int
    soft_kept: int
    breaks: int
    requests: int


def measure(given: tuple[Path, tuple[str, ...]]) -> list[Measured]:
    path, rows = given
    found = []
    for session in load(path):
        for one in conversations(session):
            if len(one.requests) < 15:
                continue
            reader = Reader(format_named(one.format))
            needs, base = Needs(one, reader), replay(one, Unpruned(), reader)
            for row in rows:
                whole = cost(base, NAMED_ROWS[row]).cost
                for name in VARIANTS:
                    sent = replay(one, Folding(name, row), reader)
                    paid, kept = cost(sent, NAMED_ROWS[row]), retention(needs, sent)
                    uses = kept.hard, kept.hard_kept, kept.soft, kept.soft_kept
                    found.append(Measured(name, row, paid.cost, whole, *uses, paid.breaks, len(one.requests)))
    return found


def main(rows: tuple[str, ...]) -> None:
    paths = sorted((path for agent in AGENTS for path in (CORPUS / agent).rglob("*.gz")), key=_size)
    with ProcessPoolExecutor(2) as pool:
        found = [one for part in pool.map(measure, [(path, rows) for path in paths]) for one in part]
    results: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        print(f"\n{row:46}  cost  worst   hard   soft  breaks")
        for name in VARIANTS:
            own = [one for one in found if (one.name, one.row) == (name, row)]
            total = [sum(column) for column in list(zip(*own, strict=True))[2:]]
            worst = max(one.cost / one.unpruned for one in own)
            results.setdefault(row, {})[name] = {
                "cost": round(total[0] / total[1], 3),
                "worst": round(worst, 2),
                "hard": round(total[3] / total[2], 4),
                "soft": round(total[5] / total[4], 4),
                "breaks": round(100 * total[6] / total[7], 1),
            }
            print(
                f"{name:46} {total[0] / total[1]:.3f}  {worst:.2f}  {total[3] / total[2]:.4f} "
                f"{total[5] / total[4]:.4f}  {100 * total[6] / total[7]:.1f}"
            )
    target = Path(__file__).parent / "results" / "folds.json"
    target.write_text(json.dumps(results, indent=1) + "\n")


def _size(path: Path) -> int:
    return -path.stat().st_size


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or ROWS)
