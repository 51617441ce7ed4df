"""Two versions of Prunus beside each other, with the same requests at the same rate: CPU and added latency.

    git worktree add ../before COMMIT
    python bench/beside.py ../before --setup "3 replicas, sticky" --store postgres --rate 110

A machine that others share may be twice as slow in one hour as in another, so figures of two runs cannot be
compared. Here the servers of both versions run at the same time, each with a store of its own, and take turns with
a bare pass-through: a round for each, the order of the two versions changing. Set-ups, conversations and times are
those of bench/scale.py. Results land in bench/results/beside.json, under the set-up.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from proxy import free_port, running
from scale import SETUPS, Cluster, Load, Setup, run, upstream

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "beside.json"
SIDE_BY_SIDE = 125
"""Conversations that are under way at once."""
TURNS = 6
QUIET = 0.5
"""Seconds after a round in which servers record what is left."""


@contextmanager
def sources(checkout: Path) -> Iterator[None]:
    """Let programs that are started in this block use the sources of a checkout."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(checkout / "src")
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


def revision(checkout: Path) -> str:
    """Return the commit of a checkout."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def compare(checkouts: Sequence[Path], setup: Setup, rate: float, rounds: int) -> dict[str, Any]:
    """Measure both checkouts in turns."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as held:
        scratch = Path(folder)
        target = held.enter_context(upstream(scratch))
        clusters = []
        for n, checkout in enumerate(checkouts):
            place = scratch / str(n)
            place.mkdir()
            with sources(checkout):
                clusters.append(Cluster(setup, place, held, target, []))
        port = free_port()
        command = [sys.executable, str(HERE / "proxy.py"), "--serve-bare", str(port), str(target)]
        held.enter_context(running(command, port, scratch / "bare.log"))
        run([port], True, 8, 4)
        bare: list[Load] = []
        found: list[list[tuple[Load, float]]] = [[] for _ in clusters]
        for at in range(rounds):
            bare.append(run([port], True, SIDE_BY_SIDE, TURNS, rate, at))
            for n in (0, 1) if at % 2 else (1, 0):
                cluster, spent = clusters[n], clusters[n].cpu
                load = run(cluster.ports, setup.sticky, SIDE_BY_SIDE, TURNS, rate, at)
                time.sleep(QUIET)
                found[n].append((load, (cluster.cpu - spent) / load.answered))
            print(f"round {at + 1} of {rounds}", flush=True)
    return {
        "rate": rate,
        "rounds": rounds,
        "bare_p99_ms": round(statistics.median(load.percentile(0.99) for load in bare), 1),
        **{
            name: {
                "revision": revision(checkout),
                "cpu_ms": round(statistics.median(spent for _, spent in own), 2),
                **{
                    key: round(
                        statistics.median(
                            ours.percentile(share) - least.percentile(share)
                            for (ours, _), least in zip(own, bare, strict=True)
                        ),
                        1,
                    )
                    for key, share in (("added_p50_ms", 0.5), ("added_p99_ms", 0.99))
                },
                "faults": sum(len(load.faults) for load, _ in own),
            }
            for name, checkout, own in zip(("before", "now"), checkouts, found, strict=True)
        },
    }


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="a checkout of the version to compare with")
    names = list(dict.fromkeys(setup.name for setup in SETUPS))
    parser.add_argument("--setup", choices=names, default="3 replicas, sticky")
    parser.add_argument("--store", choices=["sqlite", "postgres", "redis"], default="postgres")
    parser.add_argument("--rate", type=float, default=110.0, help="requests a second")
    parser.add_argument("--rounds", type=int, default=8)
    given = parser.parse_args()
    chosen = [setup for setup in SETUPS if (setup.name, setup.store) == (given.setup, given.store)]
    if not chosen:
        parser.error(f"there is no set-up {given.setup!r} with {given.store}")
    row = compare((given.before, HERE.parent), chosen[0], given.rate, given.rounds)
    print(json.dumps(row, indent=1))
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results[f"{given.setup} ({given.store})"] = row
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
