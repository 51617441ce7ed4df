"""`python -m tests.upstream [PORT] [FOLDER]`: a small script on a port, for trying a client by hand."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.upstream import Read, Run, Script, Step, Upstream


def main(port: int = 8786, folder: str = "") -> None:
    """Serve until interrupted, and print each request as it comes."""
    steps = (
        Step((Run("ls -la"),)),
        Step((Read("README.md"),)),
        Step((Read("README.md"),)),
        Step(text="All is read."),
    )
    with Upstream(Script(steps, root=folder or str(Path.cwd())), port=port) as up:
        print(f"listening on {up.url}", flush=True)
        shown = 0
        try:
            while True:
                time.sleep(0.2)
                for request in up.requests[shown:]:
                    print(request.number, request.format, request.status, request.usage, flush=True)
                    shown += 1
        except KeyboardInterrupt:
            print(*up.problems, *up.breaks, up.tokens, sep="\n")


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))  # type: ignore[arg-type]
