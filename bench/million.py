"""A million generated requests in five formats through the laws: pairs, shrink, prefix, idempotence, one-shot.

    python bench/million.py [REQUESTS] [--workers N] [--minutes M] [--results FILE]

A session is drawn from its seed and grows turn by turn. Each of its requests goes through two pruners that follow
the conversation: one has a schedule of the laws (pairs, shrink, prefix), the other a preset of the laws that makes
edits at once (pairs, shrink, idempotence). For idempotence a third pruner, which knows nothing, prunes what the
second one sent. At the end of each session a pruner that knows nothing also gets the last request, and has to send
the same bytes as the second pruner (one-shot). The checks are those of tests/laws.

bench/results/million.json holds how far the run came. The next run goes on from there, so a run may be killed at
any time. It stops at REQUESTS, a million by default, or after M minutes. The exit code is 1 if a law was broken. To
try a small run, name another file of results.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from random import Random

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from prunus.lab.pool import worker_pool  # noqa: E402
from tests.generate.build import random_session  # noqa: E402
from tests.generate.render import FORMATS  # noqa: E402
from tests.laws.cases import PRESETS, one_shot  # noqa: E402
from tests.laws.conversing import SCHEDULES, Sent, conversed, prefix_problems, requests  # noqa: E402
from tests.laws.outcomes import growth, other_edits, second_changes  # noqa: E402
from tests.validity import decoded, new_problems  # noqa: E402

TARGET = ROOT / "bench" / "results" / "million.json"
MILLION = 1_000_000
EVENTS = 24
"""The most turns and messages of a session, as in tests/laws."""
CHUNK = 20
"""Sessions between two checkpoints."""
KEPT = 100
"""Broken laws that are written down."""
SPELLINGS = ("compact", "spaced", "pretty", "escaped")
PAUSES = (5.0, 5.0, 5.0, 5.0, 1000.0)


class Progress(msgspec.Struct):
    """How far the run came; all sessions with a seed below `sessions` are checked."""

    requests: int = 0
    sessions: int = 0
    broken: dict[str, int] = msgspec.field(default_factory=dict)
    """For each law, the requests that broke it."""
    formats: dict[str, int] = msgspec.field(default_factory=dict)
    """Requests of each format."""
    edits: int = 0
    """Edits in all requests of growing conversations."""
    flushes: int = 0
    worker_seconds: float = 0.0
    problems: list[str] = msgspec.field(default_factory=list)
    revisions: list[str] = msgspec.field(default_factory=list)
    """The commits that were checked."""

    def add(self, other: Progress) -> None:
        self.requests += other.requests
        self.sessions += other.sessions
        self.broken = dict(Counter(self.broken) + Counter(other.broken))
        self.formats = dict(Counter(self.formats) + Counter(other.formats))
        self.edits += other.edits
        self.flushes += other.flushes
        self.worker_seconds += other.worker_seconds
        self.problems = (self.problems + other.problems)[:KEPT]


def check(first: int) -> Progress:
    """Check the sessions of one chunk."""
    began = time.process_time()
    found = Progress()
    for seed in range(first, first + CHUNK):
        format, schedule, preset, spelling = drawn_case(seed)
        found.sessions += 1
        case = f"seed {seed}, {format}, schedule {schedule}, preset {preset}, {spelling}"
        try:
            for number, laws in enumerate(check_session(seed, found), 1):
                found.requests += 1
                found.formats[format] = found.formats.get(format, 0) + 1
                for law, problems in laws.items():
                    if problems:
                        found.broken[law] = found.broken.get(law, 0) + 1
                        found.problems.append(f"{case}, request {number}: {law}: {'; '.join(problems)}")
        except Exception as error:
            found.broken["error"] = found.broken.get("error", 0) + 1
            found.problems.append(f"{case}: {type(error).__name__}: {error}")
    found.worker_seconds = time.process_time() - began
    return found


def drawn_case(seed: int) -> tuple[str, str, str, str]:
    """Return the format, schedule, preset and spelling of a session."""
    rng = Random(f"case {seed}")
    formats = list(FORMATS)
    return formats[seed % len(formats)], rng.choice([*SCHEDULES]), rng.choice([*PRESETS]), rng.choice(SPELLINGS)


def check_session(seed: int, found: Progress) -> Iterator[dict[str, list[str]]]:
    """Yield what is wrong with each request, by law, and count edits and flushes."""
    format, schedule, preset, spelling = drawn_case(seed)
    bodies = requests(random_session(seed, EVENTS), format, spelling)
    rng = Random(f"pauses {seed}")
    pauses = [rng.choice(PAUSES) for _ in bodies]
    ways = (conversed(settings, bodies, format, pauses) for settings in (SCHEDULES[schedule], PRESETS[preset]))
    before: Sent | None = None
    for number, (body, after, at_once) in enumerate(zip(bodies, *ways, strict=True), 1):
        grown, once = after.outcome, at_once.outcome
        found.edits += len(grown.edits)
        found.flushes += after.cut is not None
        request = decoded(body)
        yield {
            "pairs": [*new_problems(request, grown.body, format), *new_problems(request, once.body, format)],
            "shrink": growth(body, grown) + growth(body, once),
            "prefix": prefix_problems(before, after),
            "idempotence": second_changes(once, one_shot(once.body, preset)),
            "one-shot": other_edits(once, one_shot(body, preset)) if number == len(bodies) else [],
        }
        before = after


def run(target: int, workers: int, minutes: float, results: Path) -> Progress:
    """Go on until the requests are checked or the time is over, and write down how far the run came."""
    progress = msgspec.json.decode(results.read_bytes(), type=Progress) if results.exists() else Progress()
    git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    progress.revisions = list(dict.fromkeys([*progress.revisions, git.stdout.strip()]))
    ends = time.monotonic() + 60 * minutes
    done: dict[int, Progress] = {}
    """Chunks that ended before an earlier one."""
    with worker_pool(workers) as pool:
        upcoming = progress.sessions
        waiting: dict[Future[Progress], int] = {}
        while progress.requests < target and time.monotonic() < ends:
            while len(waiting) + len(done) < 2 * workers:
                waiting[pool.submit(check, upcoming)] = upcoming
                upcoming += CHUNK
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                done[waiting.pop(future)] = future.result()
            while progress.sessions in done:
                progress.add(done.pop(progress.sessions))
                write(progress, results)
                print(f"{progress.requests:,} requests, broken: {progress.broken or 'none'}", flush=True)
        pool.shutdown(cancel_futures=True)
    return progress


def write(progress: Progress, results: Path) -> None:
    """Replace the file in one step, so that a kill leaves the old one or the new one."""
    fresh = results.with_suffix(".new")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(progress)) + b"\n")
    fresh.replace(results)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("requests", nargs="?", type=int, default=MILLION)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60 * 24 * 7)
    parser.add_argument("--results", type=Path, default=TARGET)
    asked = parser.parse_args()
    progress = run(asked.requests, asked.workers, asked.minutes, asked.results)
    print(f"{asked.results}: {progress.requests:,} requests are checked")
    for problem in progress.problems:
        print(problem)
    return 1 if progress.broken else 0


if __name__ == "__main__":
    sys.exit(main())
