"""Every recorded session checked, file by file on two cores, and what was wrong.

A program of this kind gives how it checks one session file, and which columns its table has.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

SESSIONS = Path(__file__).parent / "../../shared/corpus/dev"
SHOWN = 40
"""Problems that are printed in full."""


@dataclass(slots=True)
class Checked:
    """What one file, or all files of one agent, gave."""

    agent: str = ""
    sessions: int = 0
    requests: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """What else a check counts, by its own names."""
    problems: list[str] = field(default_factory=list)

    def add(self, other: Checked) -> None:
        self.sessions += other.sessions
        self.requests += other.requests
        self.counts += other.counts
        self.problems += other.problems


Check = Callable[[Path], list[Checked]]
"""Checks one file. It is called in another process, and raises nothing."""


def check_all(check: Check, columns: Sequence[str], cells: Callable[[Checked], Sequence[str]]) -> int:
    """Check the sessions of a folder, the first argument or the dev sessions; the exit code says if all is well.

    The table has the agent, its sessions and requests, and then `cells` under the names of `columns`.
    """
    console = Console(width=None if sys.stdout.isatty() else 140)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != "MANIFEST.json"]
    if not paths:
        console.print("No recorded sessions here (../shared/corpus/dev); nothing to check.")
        return 0
    started = perf_counter()
    agents: dict[str, Checked] = {}
    total = Checked("all")
    for one in _checked(check, paths, console):
        agents.setdefault(one.agent, Checked(one.agent)).add(one)
        total.add(one)
    table = Table("agent", "sessions", "requests", *columns)
    for column in table.columns[1:]:
        column.justify = "right"
    for one in (*(agents[name] for name in sorted(agents)), total):
        table.add_row(one.agent, f"{one.sessions:,}", f"{one.requests:,}", *cells(one))
    console.print(table)
    for problem in total.problems[:SHOWN]:
        print(problem)
    if len(total.problems) > SHOWN:
        print(f"... and {len(total.problems) - SHOWN} more")
    print(f"{total.requests:,} requests in {perf_counter() - started:.0f} s")
    return 1 if total.problems else 0


def _checked(check: Check, paths: list[Path], console: Console) -> Iterator[Checked]:
    """What each file gave, with a bar on a terminal and a line now and then elsewhere."""
    # The largest files first, so that no core waits for the other at the end.
    ordered = sorted(paths, key=lambda path: (-path.stat().st_size, path))
    with ProcessPoolExecutor(2) as pool, Progress(console=console, disable=not console.is_terminal) as progress:
        results = pool.map(check, ordered)
        for done, found in enumerate(progress.track(results, total=len(paths), description="Checking"), 1):
            yield from found
            if not console.is_terminal and (done % 20 == 0 or done == len(paths)):
                print(f"{done} of {len(paths)} files", flush=True)
