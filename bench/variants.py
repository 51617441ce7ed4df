"""What each choice of the preset `auto` is worth: one thing changed at a time, on the dev sessions.

Cost against no pruning at read 0.1, write 1.25, worst session, hard and soft retention, breaks per 100 requests.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

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
PRICE = NAMED_ROWS["0.1/1.25"]
NEVER = 1_000_000


def cache(**fields: Any) -> dict[str, Any]:
    return {"schedules": {"cache": fields}}


def strategy(name: str, **fields: Any) -> dict[str, Any]:
    return {"strategies": {name: fields}}


VARIANTS: dict[str, dict[str, Any]] = {
    "auto": {},
    "patience 1 (break-even)": cache(patience=1.0),
    "patience 2": cache(patience=2.0),
    "patience 8": cache(patience=8.0),
    "100 requests ahead at most": cache(ahead=100),
    "20 requests ahead at most": cache(ahead=20),
    "reads of edited files left alone": strategy("finished_results", idle=NEVER),
    "shell output left alone": strategy("finished_results", shell=NEVER),
    "outlines of 10 %": strategy("finished_results", share=0.10),
    "outlines of 25 %": strategy("finished_results", share=0.25),
    "inputs left alone": strategy("finished_inputs", enabled=False),
    "inputs after 15 idle turns": strategy("finished_inputs", idle=15),
    "thinking left alone": strategy("old_thinking", enabled=False),
    "long outputs not cut before first send": strategy("long_outputs", at_once=False),
}


class Auto:
    """The preset with something changed."""

    declared = ""

    def __init__(self, name: str) -> None:
        self.name = name
        prices = [{"model": "*", "read": PRICE.read, "write": PRICE.write, "ttl": PRICE.ttl}]
        self._pruner = Pruner(Settings(preset="auto", prices=prices, **VARIANTS[name]))

    def start(self) -> Auto:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        return self._pruner.prune(body, now=now).body


def measure(path: Path) -> list[tuple[str, float, float, int, int, int, int, int, int]]:
    rows = []
    for session in load(path):
        for one in conversations(session):
            if len(one.requests) < 15:
                continue
            reader = Reader(format_named(one.format))
            needs = Needs(one, reader)
            whole = cost(replay(one, Unpruned(), reader), PRICE).cost
            for name in VARIANTS:
                sent = replay(one, Auto(name), reader)
                paid, kept = cost(sent, PRICE), retention(needs, sent)
                counts = (kept.hard, kept.hard_kept, kept.soft, kept.soft_kept, paid.breaks, len(one.requests))
                rows.append((name, paid.cost, whole, *counts))
    return rows


def main() -> None:
    if not CORPUS.is_dir():
        print("bench/variants.py: the dev sessions are not here (../shared/corpus/dev); nothing measured")
        return
    paths = sorted((p for p in CORPUS.rglob("*.gz") if p.parent.name in AGENTS), key=lambda p: -p.stat().st_size)
    with ProcessPoolExecutor(2) as pool:
        rows = [row for found in pool.map(measure, paths) for row in found]
    result = {}
    for name in VARIANTS:
        mine = [row for row in rows if row[0] == name]
        paid, whole, hard, hard_kept, soft, soft_kept, breaks, requests = (
            sum(row[i] for row in mine) for i in range(1, 9)
        )
        result[name] = {
            "cost": round(paid / whole, 3),
            "worst": round(max(row[1] / row[2] for row in mine), 2),
            "hard": round(hard_kept / hard, 3),
            "soft": round(soft_kept / soft, 3),
            "breaks": round(100 * breaks / requests, 1),
        }
        print(f"{name:40}", *(f"{key} {value:<6}" for key, value in result[name].items()))
    target = Path(__file__).parent / "results" / "variants.json"
    target.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
