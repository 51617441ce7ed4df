"""Replay very many sessions on a Dask cluster: pip install 'prunus[fleet]' 'dask[distributed]'

    python examples/dask_fleet.py rows.parquet sessions/ traces.parquet

Without an address, Dask starts workers on this machine; `Client("tcp://scheduler:8786")` takes those of a cluster.
Members of archives and rows of tables are read here and sent to the workers. Files in folders are opened by the
workers, so the folder has to be there on each node. A run that was killed goes on if it is started again.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dask.distributed import Client

from prunus.lab.corpus_run import run_corpus
from prunus.lab.run import Study

if __name__ == "__main__":
    out, *paths = map(Path, sys.argv[1:])
    study = Study(policies=("none", "balanced"), prices=("own",), minimum=1, limit=None)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        report = run_corpus(paths, study, out, executor=client.get_executor(pure=False), told=print)
    for one in report.summaries():
        print(f"{one.policy}: {one.conversations:,} conversations, cost {one.cost:.3f} of not pruning")
