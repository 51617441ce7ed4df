"""Ten thousand generated sessions of 100 requests through `prunus replay --out`: sessions per second, and memory.

    python bench/fleet.py [SESSIONS] [--folder FOLDER] [--results FILE] [--growth | --so-far]

Makes an archive of sessions, replays it without pruning and with `balanced` on two workers, and looks at the memory
of the command and of its workers every five seconds, in short runs every second. The folder holds the archive, the
rows and the samples; a bench that was killed goes on from there. `--growth` measures 1, 2 and 4 workers on 200
sessions. Other programs on the machine slow the wall clock down, so CPU seconds and the load stand beside it.
`--so-far` only writes the figures of a bench that still runs, or was killed. Results land in
bench/results/fleet.json; to try a small run, name another file of results.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sessions
import zstandard

RESULTS = Path(__file__).parent / "results" / "fleet.json"
SESSIONS = 10_000
REQUESTS = 100
EVERY, OFTEN = 5.0, 1.0
"""Seconds between two looks at the memory, and in short runs."""
FEW = 200
"""Sessions that each number of workers gets."""
PR_SET_PDEATHSIG = 1
TICK = os.sysconf("SC_CLK_TCK")


def conversation(seed: int) -> bytes:
    """A request whose history shows 100 requests; its texts are a quarter as long as in recorded sessions."""
    rng = random.Random(seed)
    made = []
    for tool, given, answer, failed in sessions.calls(REQUESTS - 1, seed):
        lines = answer.split("\n")
        made.append((tool, given, "\n".join(lines[: max(1, len(lines) // 4)]), failed))
    body = sessions.anthropic(made)
    body["messages"][0]["content"] += f" Begin with part {rng.randint(0, 10**9)}."
    return json.dumps(body).encode()


def archive(folder: Path, count: int) -> Path:
    """The sessions as an archive, made once."""
    path = folder / f"{count}.tar.zst"
    if path.exists():
        return path
    fresh = path.with_suffix(".new")
    with (
        fresh.open("wb") as file,
        zstandard.ZstdCompressor().stream_writer(file) as packed,
        tarfile.open(fileobj=packed, mode="w|") as members,
    ):
        for seed in range(count):
            data = conversation(seed)
            info = tarfile.TarInfo(f"{seed // 1000:02}/{seed:06}.json")
            info.size = len(data)
            members.addfile(info, io.BytesIO(data))
    fresh.replace(path)
    return path


def replay(path: Path, out: Path, workers: int, every: float) -> list[dict[str, Any]]:
    """Replay an archive, and return samples of time, recordings, CPU and memory; the last is of the end."""
    asked = ["--policy", "none", "--policy", "balanced", "--prices", "0.1/1.25"]
    command = [sys.executable, "-m", "prunus", "replay", str(path), *asked, "--out", str(out)]
    samples = out.with_suffix(".samples")
    kept = [json.loads(line) for line in samples.read_text().splitlines()] if samples.exists() else []
    before = kept[-1] if kept else {"seconds": 0.0, "cpu": 0.0}
    began, spent = time.monotonic(), ended_children()
    with (
        samples.open("a") as file,
        subprocess.Popen(
            [*command, "--workers", str(workers)], stdout=subprocess.DEVNULL, preexec_fn=end_with_bench
        ) as running,
    ):
        journal = Lines(out.with_name(out.name + ".part"))

        def note(cpu: float, memory: dict[str, Any]) -> None:
            kept.append(
                {
                    "seconds": round(before["seconds"] + time.monotonic() - began, 1),
                    "recordings": max([journal.count(), *(one["recordings"] for one in kept[-1:])]),
                    "cpu": round(before["cpu"] + cpu, 1),
                    **memory,
                    "load": os.getloadavg()[0],
                }
            )
            file.write(json.dumps(kept[-1]) + "\n")
            file.flush()

        cpu = 0.0
        while not ended(running, every):
            family = [used for pid in (running.pid, *children(running.pid)) if (used := usage(pid)) is not None]
            if family:
                cpu = max(cpu, sum(seconds for seconds, _ in family))
                note(cpu, {"command_mb": family[0][1], "workers_mb": [memory for _, memory in family[1:]]})
        # The last look may lie seconds back, and workers that ended since then had worked on.
        note(ended_children() - spent, {})
    if running.returncode:
        sys.exit(running.returncode)
    return kept


def end_with_bench() -> None:
    """Let Linux kill this process when the bench is killed, so that the next bench can go on."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def ended(running: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a process for some seconds; return whether it has ended."""
    try:
        running.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def ended_children() -> float:
    """CPU seconds of all processes that this bench has started, and their workers, which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Lines:
    """Counts the lines of a growing file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = self._found = 0

    def count(self) -> int:
        """The lines so far, without the first one."""
        if self._path.exists():
            with self._path.open("rb") as file:
                file.seek(self._read)
                for block in iter(lambda: file.read(1 << 20), b""):
                    self._found += block.count(b"\n")
                    self._read += len(block)
        return max(0, self._found - 1)


def children(pid: int) -> Iterator[int]:
    """The worker processes of a command; the tracker of its resources is none."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in map(int, found):
        try:
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                yield child
        except OSError:
            continue


def usage(pid: int) -> tuple[float, float] | None:
    """CPU seconds and resident megabytes of a process; None if it has ended, also if nobody has waited for it."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return None
    if not pages:
        return None
    return (int(words[11]) + int(words[12])) / TICK, round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def figures(samples: list[dict[str, Any]], count: int, workers: int) -> dict[str, Any]:
    """What the samples come to; memory by quarters of the run, None where nobody looked."""
    last = samples[-1]
    looks = [one for one in samples if "command_mb" in one]
    quarters = [looks[i * len(looks) // 4 : (i + 1) * len(looks) // 4] for i in range(4)]
    return {
        "workers": workers,
        "sessions": count,
        "requests": count * REQUESTS,
        "seconds": last["seconds"],
        "cpu_seconds": last["cpu"],
        "sessions_per_second": round(count / last["seconds"], 2),
        "sessions_per_cpu_second": round(count / last["cpu"], 2),
        "load": [round(min(one["load"] for one in samples), 1), round(max(one["load"] for one in samples), 1)],
        "command_mb": [max((one["command_mb"] for one in part), default=None) for part in quarters],
        "worker_mb": [max((mb for one in part for mb in one["workers_mb"]), default=None) for part in quarters],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="?", type=int, default=SESSIONS)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "prunus-fleet")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--so-far", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    results = json.loads(asked.results.read_text()) if asked.results.exists() else {}
    if asked.growth:
        path = archive(asked.folder, FEW)
        results["growth"] = []
        for workers in (1, 2, 4):
            with tempfile.TemporaryDirectory(dir=asked.folder) as scratch:
                samples = replay(path, Path(scratch) / "rows.jsonl", workers, OFTEN)
            results["growth"].append(figures(samples, FEW, workers))
    else:
        out = asked.folder / f"{asked.sessions}.jsonl"
        if asked.so_far:
            if not out.with_suffix(".samples").exists():
                sys.exit(f"no bench of {asked.sessions} sessions has begun in {asked.folder}")
            samples = [json.loads(line) for line in out.with_suffix(".samples").read_text().splitlines()]
            done = asked.sessions if out.exists() else samples[-1]["recordings"]
        else:
            path = archive(asked.folder, asked.sessions)
            if out.exists():
                out.unlink()
                out.with_suffix(".samples").unlink(missing_ok=True)
            samples, done = replay(path, out, 2, OFTEN if asked.sessions <= FEW else EVERY), asked.sessions
        results["run"] = {**figures(samples, done, 2), "planned": asked.sessions}
    asked.results.write_text(json.dumps(results, indent=2) + "\n")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
