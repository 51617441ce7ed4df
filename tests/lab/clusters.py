"""Runs the tests of the examples on clusters with the real packages, in an environment of its own: `make fleet`."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from tests.integrations.frameworks import ROOT, Framework, environment

CLUSTERS: Final = (
    Framework("ray", ("ray==2.60.0",), ("ray==2.60.0",)),
    Framework("dask", ("dask[distributed]==2026.8.0",), ("dask[distributed]==2026.8.0",)),
)


def main() -> int:
    """Install what the examples need, and run their tests."""
    command = [
        str(environment(CLUSTERS)),
        "-m",
        "pytest",
        "-q",
        "-W",
        "ignore",
        "-rs",
        "tests/lab/test_clusters.py",
    ]
    return subprocess.run(command, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
