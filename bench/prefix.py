"""Replay every recorded session under several prices and look for breaks of the prefix that were not declared.

    python bench/prefix.py [folder of sessions]

Each request goes through the preset `auto` with the schedule `cache`, one pruner for each file. It has to extend
the request before byte for byte, up to the cut of a flush that its outcome declares; in the sessions of
Anthropic's format the cache markers move along, and are left aside. A context that the agent compacted has to be
another conversation than the one before.
"""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from prunus import Pruner  # noqa: E402
from prunus.lab.conversations import conversations  # noqa: E402
from prunus.transcripts import Session, load  # noqa: E402
from tests.recorded.prefix import ROWS, replayed, settings, wrong  # noqa: E402

SESSIONS = ROOT / "../shared/corpus/dev"
SHOWN = 40
"""Problems that are printed in full."""


@dataclass(slots=True)
class Checked:
    """What one file, or all files of one agent, gave."""

    agent: str = ""
    sessions: int = 0
    requests: int = 0
    flushes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, other: "Checked") -> None:
        self.sessions += other.sessions
        self.requests += other.requests
        self.flushes += other.flushes
        self.problems += other.problems


def check_file(path: Path) -> list[Checked]:
    """The sessions of one file, or those that a run of the agent compacted one after the other."""
    try:
        found = [piece for session in load(path) for piece in conversations(session)]
        return [check(found, row) for row in ROWS] if found else []
    except Exception as error:
        return [Checked(path.parent.name, problems=[f"{path.name}: {type(error).__name__}: {error}"])]


def check(sessions: list[Session], row: str) -> Checked:
    """All requests at one price."""
    moving = sessions[0].format == "anthropic_messages"
    found = Checked(sessions[0].agent, sessions=len(sessions))
    replays = replayed(sessions, Pruner(settings(row)), moving=moving)
    for (old, ended), (new, begun) in pairwise(zip(sessions, replays, strict=True)):
        told = old.messages[: old.requests[-1]]
        continued = new.messages[: new.requests[0]][: len(told)] == told
        if ended[-1].outcome.conversation == begun[0].outcome.conversation and not continued:
            found.problems.append(f"{new.name} [{row}]: taken for the conversation before")
    for session, sent in zip(sessions, replays, strict=True):
        found.requests += len(sent)
        found.flushes[row] += sum(one.outcome.flush is not None for one in sent)
        for number, (before, after) in enumerate(pairwise(sent), 1):
            problem = wrong(before, after, moving=moving)
            if before.outcome.conversation != after.outcome.conversation:
                problem = problem or "taken for another conversation"
            if problem:
                found.problems.append(f"{session.name} [{row}] request {number}: {problem}")
    return found


def run(paths: list[Path], console: Console) -> dict[str, Checked]:
    """Check all files on two cores, with a bar on a terminal and a line now and then elsewhere."""
    agents: dict[str, Checked] = {}
    with ProcessPoolExecutor(2) as pool, Progress(console=console, disable=not console.is_terminal) as progress:
        results = pool.map(check_file, paths)
        for done, found in enumerate(progress.track(results, total=len(paths), description="Replaying"), 1):
            for one in found:
                agents.setdefault(one.agent, Checked(one.agent)).add(one)
            if not console.is_terminal and (done % 20 == 0 or done == len(paths)):
                print(f"{done} of {len(paths)} files", flush=True)
    return agents


def table(agents: dict[str, Checked]) -> Table:
    """One row per agent and one for all; sessions and requests count once for each price."""
    shown = Table("agent", "sessions", "requests", *(f"flushes {row}" for row in ROWS), "undeclared breaks")
    for column in shown.columns[1:]:
        column.justify = "right"
    total = Checked("all")
    rows = [agents[name] for name in sorted(agents)]
    for one in rows:
        total.add(one)
    for one in (*rows, total):
        counts = (one.sessions, one.requests, *(one.flushes[row] for row in ROWS), len(one.problems))
        shown.add_row(one.agent, *(f"{count:,}" for count in counts))
    return shown


def main(arguments: list[str]) -> int:
    console = Console(width=None if sys.stdout.isatty() else 140)
    folder = Path(arguments[0]) if arguments else SESSIONS
    paths = [p for p in folder.rglob("*") if p.is_file() and p.name != "MANIFEST.json"]
    if not paths:
        console.print("No recorded sessions here (../shared/corpus/dev); nothing to check.")
        return 0
    started = perf_counter()
    # The largest files first, so that no core waits for the other at the end.
    agents = run(sorted(paths, key=lambda p: (-p.stat().st_size, p)), console)
    console.print(table(agents))
    found = [problem for one in agents.values() for problem in one.problems]
    for problem in found[:SHOWN]:
        print(problem)
    if len(found) > SHOWN:
        print(f"... and {len(found) - SHOWN} more")
    print(f"{sum(one.requests for one in agents.values()):,} requests in {perf_counter() - started:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
