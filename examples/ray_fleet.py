"""Replay very many sessions on a Ray cluster: pip install 'prunus[fleet]' ray

    python examples/ray_fleet.py rows.parquet sessions/ traces.parquet

Members of archives and rows of tables are read here and sent to the workers. Files in folders are opened by the
workers, so the folder has to be there on each node. A run that was killed goes on if it is started again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import ray

from prunus.lab.corpus_run import run_corpus
from prunus.lab.run import Study


@ray.remote
def call(work: Callable[..., Any], given: tuple[Any, ...], more: dict[str, Any]) -> Any:
    return work(*given, **more)


class RayExecutor(Executor):
    """Gives work to Ray, whose references can be futures of the standard library."""

    def submit(self, work: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
        return call.remote(work, given, more).future()


if __name__ == "__main__":
    out, *paths = map(Path, sys.argv[1:])
    ray.init(log_to_driver=False, include_dashboard=False)
    study = Study(policies=("none", "balanced"), prices=("own",), minimum=1, limit=None)
    report = run_corpus(paths, study, out, executor=RayExecutor(), told=print)
    for one in report.summaries():
        print(f"{one.policy}: {one.conversations:,} conversations, cost {one.cost:.3f} of not pruning")
    ray.shutdown()
