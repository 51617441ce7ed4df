"""Prune every recorded session and check what comes out.

    python bench/corpus.py [folder of sessions]

The last request of each session is pruned with every preset. Each tenth request is pruned by one pruner that sees
the session grow and by one that sees only it. Every result has to be valid for its provider, to equal the edits
carried out, to stay as it is when pruned again, and to be no longer than what came in.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from prunus import Outcome, Pruner, Settings, formats  # noqa: E402
from prunus.apply import apply  # noqa: E402
from prunus.policy.presets import PRESETS  # noqa: E402
from prunus.transcripts import Session, load  # noqa: E402
from tests.validity import new_problems, problems  # noqa: E402

SESSIONS = ROOT / "../shared/corpus/dev"
NAMES = tuple(name for name in PRESETS if name != "off")
STEP = 10
"""One request in so many is looked at while a session grows."""
SHOWN = 40
"""Problems that are printed in full."""


@dataclass(slots=True)
class Checked:
    """What one file, or all files of one agent, gave."""

    agent: str = ""
    sessions: int = 0
    requests: int = 0
    invalid_before: int = 0
    tokens: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, other: "Checked") -> None:
        self.sessions += other.sessions
        self.requests += other.requests
        self.invalid_before += other.invalid_before
        self.tokens += other.tokens
        self.problems += other.problems


def check_file(path: Path) -> list[Checked]:
    """All sessions of one file."""
    try:
        return [check_session(session) for session in load(path)]
    except Exception as error:
        return [Checked(path.parent.name, problems=[f"{path.name}: not read: {type(error).__name__}: {error}"])]


def check_session(session: Session) -> Checked:
    """The last request with each preset, and each tenth request as the session grows."""
    found = Checked(session.agent, sessions=1)
    body = msgspec.json.encode(session.body())
    found.invalid_before = bool(problems(body, session.format))
    for name in NAMES:
        out = fresh(body, name)
        found.requests += 1
        found.tokens["before"] += out.report.tokens_before if name == NAMES[0] else 0
        found.tokens[name] += out.report.tokens_after
        for problem in wrong(body, out, session.format, name):
            found.problems.append(f"{session.name} [{name}] last request: {problem}")
    for name in NAMES:
        pruner = Pruner(Settings(preset=name, schedule="eager"))
        for request in range(0, len(session.requests), STEP):
            body = msgspec.json.encode(session.body(request))
            seen, alone = pruner.prune(body), fresh(body, name)
            found.requests += 1
            if seen.error or seen.body != alone.body or seen.report != alone.report:
                found.problems.append(f"{session.name} [{name}] request {request}: differs from a fresh pruner's")
    return found


def fresh(body: bytes, name: str) -> Outcome:
    """What a pruner that knows nothing makes of a request."""
    return Pruner(Settings(preset=name, schedule="eager")).prune(body)


def wrong(body: bytes, out: Outcome, format: str, name: str) -> Iterator[str]:
    """What is wrong with one result."""
    if out.error:
        yield out.error
        return
    if out.report.format != format:
        yield f"read as {out.report.format}, not {format}"
        return
    yield from (f"invalid: {problem}" for problem in new_problems(body, out.body, format))
    before, after = formats.read(body), formats.read(out.body)
    if after.messages != apply(before, out.edits).messages:
        yield "what was written is not what the edits say"
    touched = {edit.target.message for edit in out.edits}
    kept = [message.raw for i, message in enumerate(before.messages) if i not in touched]
    left = iter([message.raw for message in after.messages])
    if not all(raw in left for raw in kept):
        yield "a message without edits changed its bytes"
    again = fresh(out.body, name)
    if again.body != out.body:
        yield f"pruned again it changes: {[edit.strategy for edit in again.edits][:5]}"
    if len(out.body) > len(body) or out.report.tokens_after > out.report.tokens_before:
        yield "it grew"
    if {edit.target for edit in out.edits} & {edit.shows for edit in out.edits}:
        yield "a pointer shows what was cut"


def run(paths: list[Path], console: Console) -> dict[str, Checked]:
    """Check all files on two cores, with a bar on a terminal and a line now and then elsewhere."""
    agents: dict[str, Checked] = {}
    with ProcessPoolExecutor(2) as pool, Progress(console=console, disable=not console.is_terminal) as progress:
        results = pool.map(check_file, paths)
        for done, found in enumerate(progress.track(results, total=len(paths), description="Pruning"), 1):
            for one in found:
                agents.setdefault(one.agent, Checked(one.agent)).add(one)
            if not console.is_terminal and (done % 20 == 0 or done == len(paths)):
                print(f"{done} of {len(paths)} files", flush=True)
    return agents


def table(agents: Iterable[Checked]) -> Table:
    """One row per agent and one for all."""
    shown = Table("agent", *(("sessions", "requests", "tokens before", *NAMES, "invalid as recorded", "problems")))
    for column in shown.columns[1:]:
        column.justify = "right"
    total = Checked("all")
    rows = sorted(agents, key=lambda one: one.agent)
    for one in rows:
        total.add(one)
    for one in (*rows, total):
        before = one.tokens["before"]
        after = (f"{one.tokens[name] / before:.1%}" if before else "" for name in NAMES)
        counts: list[Any] = [one.sessions, one.requests, before]
        shown.add_row(
            one.agent, *(f"{n:,}" for n in counts), *after, str(one.invalid_before), str(len(one.problems))
        )
    return shown


def main(arguments: list[str]) -> int:
    console = Console(width=None if sys.stdout.isatty() else 140)
    folder = Path(arguments[0]) if arguments else SESSIONS
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "MANIFEST.json")
    if not paths:
        console.print("No recorded sessions here (../shared/corpus/dev); nothing to check.")
        return 0
    started = perf_counter()
    # The largest files first, so that no core waits for the other at the end.
    agents = run(sorted(paths, key=lambda p: -p.stat().st_size), console)
    console.print(table(agents.values()))
    found = [problem for one in agents.values() for problem in one.problems]
    for problem in found[:SHOWN]:
        print(problem)
    if len(found) > SHOWN:
        print(f"... and {len(found) - SHOWN} more")
    print(f"{sum(one.requests for one in agents.values()):,} requests in {perf_counter() - started:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
