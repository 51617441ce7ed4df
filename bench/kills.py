"""Replicas and their server killed 50 times and more, and what the provider saw of it.

    python bench/kills.py [ROUNDS] [HARM...]

Three real `prunus proxy` processes share one Postgres server (`tests/kills`). Each round is a conversation of which
every request goes to any replica. During one request something breaks, and some requests later it is mended. The
provider compares each request with the one before. Results land in bench/results/kills.json.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from usage import show_help

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from prunus.store import open_store  # noqa: E402
from tests.kills.cluster import Cluster  # noqa: E402
from tests.kills.harm import HARMS  # noqa: E402
from tests.kills.trial import Trial, run_trial  # noqa: E402
from tests.store.postgres_server import running  # noqa: E402

TARGET = ROOT / "bench" / "results" / "kills.json"
ROUNDS = 50


def main(rounds: int, names: Sequence[str]) -> list[Trial]:
    chosen = [harm for harm in HARMS if not names or harm.__name__ in names]
    trials = []
    with tempfile.TemporaryDirectory() as folder, running() as server:
        store = open_store(server.url(), wait=30.0)
        store.open()
        with Cluster(Path(folder), server, Random(rounds)) as cluster:
            for number in range(rounds):
                trial = run_trial(cluster, store, chosen[number % len(chosen)], number)
                trials.append(trial)
                print(number, json.dumps(row(trial.harm, [trial])), *trial.undeclared, flush=True)
        store.close()
    return trials


def row(name: str, trials: Sequence[Trial]) -> dict[str, Any]:
    """The sums of some rounds."""
    sent = [one for trial in trials for one in trial.sent]
    return {
        "harm": name,
        "rounds": len(trials),
        "requests": len(sent),
        "answered": sum(one.status == 200 for one in sent),
        "sent_again": sum(one.attempts - 1 for one in sent),
        "longest_s": round(max(one.seconds for one in sent), 2),
        "declared": sum(trial.declared for trial in trials),
        "as_it_came": sum(trial.as_it_came for trial in trials),
        "undeclared": sum(len(trial.undeclared) for trial in trials),
        "unrecorded": sum(trial.unrecorded for trial in trials),
        "without_receipt": sum(trial.without_receipt for trial in trials),
    }


if __name__ == "__main__":
    show_help()
    words = sys.argv[1:]
    rounds = int(words.pop(0)) if words and words[0].isdigit() else ROUNDS
    trials = main(rounds, words)
    rows = [row(harm.__name__, [one for one in trials if one.harm == harm.__name__]) for harm in HARMS if not words]
    if rows and rounds >= ROUNDS:
        TARGET.write_text(json.dumps({"rounds": rounds, "rows": [*rows, row("all", trials)]}, indent=1) + "\n")
    print(json.dumps(row("all", trials)))
