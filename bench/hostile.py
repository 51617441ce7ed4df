"""How the time of every reader and of whole requests grows with hostile input, worst first.

    python bench/hostile.py [readers|requests|crowds|named]

The table is the one of the law (`tests/hostile`), at larger sizes and with every preset in two formats. CPU time of
the thread, the least of several runs; a ratio of 4 is linear, 16 quadratic.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from usage import show_help

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from prunus import Pruner, Settings  # noqa: E402
from tests.hostile.clock import MOST, TIMES, measure  # noqa: E402
from tests.hostile.readers import READERS  # noqa: E402
from tests.hostile.requests import CROWDS, PLACES, Made, anthropic, chat, within  # noqa: E402
from tests.hostile.shapes import MARKED, PIECES, Shape  # noqa: E402

TARGET = ROOT / "bench" / "results" / "hostile.json"
PRESETS = ("auto", "acp", "smart")
FORMATS = {"anthropic": anthropic, "chat": chat}
READ, PLACED, CROWDED = 10_000, 5_000, 2
"""Characters for a reader and for a place in a request; how many times the counts of the law."""
FLOOR = 0.02
KEPT = 60
"""Rows that are written down."""
_BLANKS = " " * 22_000 + "x"
_EDITED = Made(
    "Edit", {"file_path": "a.py", "old_string": "\n" * 40_000, "new_string": "x"}, "The file a.py was updated."
)
NAMED: dict[str, Callable[[], bytes]] = {
    "22,000 blanks in a failed result": lambda: anthropic(within("failed result", _BLANKS)),
    "a command of 100 kB": lambda: anthropic(within("command", "sudo " * 20_000)),
    "a command of 100 kB with 33,000 here-strings": lambda: anthropic(within("command", "@'\n" * 33_000)),
    "40,000 newlines as the old text of an edit": lambda: anthropic(
        (Made("Write", {"file_path": "a.py", "content": "\n" * 60_000}, "ok"), _EDITED)
    ),
    "100,000 messages": lambda: CROWDS["messages"][1](100_000),
    "2,000 equal answers": lambda: CROWDS["equal long answers"][1](2_000),
    "5,000 calls": lambda: CROWDS["different files"][1](2_500),
    "30 MB in 3,000 results": lambda: _large(30),
    "60 MB in 6,000 results": lambda: _large(60),
}
"""What was reported once, and what the law does not hold in these sizes."""


@dataclass(frozen=True)
class Row:
    """One reader or request with one shape."""

    what: str
    shape: str
    small: float
    large: float

    @property
    def ratio(self) -> float:
        return round(self.large / max(self.small, 1e-9), 1)


def main() -> None:
    """Measure, print the worst and write them down."""
    chosen = sys.argv[1:] or ["readers", "requests", "crowds", "named"]
    console = Console(width=130)
    result: dict[str, Any] = json.loads(TARGET.read_text()) if TARGET.exists() else {}
    for part, rows in (("readers", readers), ("requests", requests), ("crowds", crowds)):
        if part in chosen:
            found = sorted(rows(), key=lambda row: (-row.ratio, -row.large))
            show(console, part, found)
            result[part] = {
                "measured": len(found),
                "above": sum(row.ratio > MOST for row in found),
                "slowest": round(max((row.large for row in found), default=0.0), 3),
                "worst": [
                    {
                        "what": r.what,
                        "shape": r.shape,
                        "small": round(r.small, 4),
                        "large": round(r.large, 4),
                        "ratio": r.ratio,
                    }
                    for r in found[:KEPT]
                ],
            }
    if "named" in chosen:
        result["named"] = {name: round(seconds(make()), 2) for name, make in NAMED.items()}
        console.print(result["named"])
    TARGET.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def readers() -> Iterator[Row]:
    """Every reader with every shape; those that are quick at the larger size are left out."""
    shapes = [*map(Shape, PIECES), *MARKED]
    for name, read in READERS.items():
        for shape in shapes:
            yield from _row(name, str(shape), read, shape.text, READ)


def requests() -> Iterator[Row]:
    """Every place of a request with every shape, preset and format."""
    for place in PLACES:
        for shape in MARKED:
            for format, write in FORMATS.items():
                for preset in PRESETS:
                    make = _maker(write, place, shape)
                    yield from _row(f"{place} ({format}, {preset})", str(shape), pruning(preset), make, PLACED)


def crowds() -> Iterator[Row]:
    """Very many small things, with every preset."""
    for name, (count, make) in CROWDS.items():
        for preset in PRESETS:
            yield from _row(
                f"{name} ({preset})", f"{TIMES * CROWDED * count:,}", pruning(preset), make, CROWDED * count
            )


def seconds(body: bytes) -> float:
    """CPU time of the first look at a request, with the settings that are there without any."""
    growth = measure(lambda given: Pruner(Settings()).prune(given), lambda _: body, 1, 0.0)
    return growth.large if growth is not None else 0.0


def pruning(preset: str) -> Callable[[bytes], object]:
    return lambda body: Pruner(Settings(preset=preset, schedule="eager")).prune(body)


def _maker(write: Callable[..., bytes], place: str, shape: Shape) -> Callable[[int], bytes]:
    return lambda size: write(within(place, shape.text(size)))


def _row(
    what: str, shape: str, read: Callable[[Any], object], make: Callable[[int], Any], size: int
) -> Iterator[Row]:
    growth = measure(read, make, size, FLOOR)
    if growth is not None:
        yield Row(what, shape, growth.small, growth.large)


def _large(megabytes: int) -> bytes:
    line = "2025-01-01 12:00:00 INFO worker finished a step of the build and goes on with the next one\n"
    text = line * (10_000 // len(line))
    return anthropic(tuple(Made("Bash", {"command": f"make {i}"}, f"{i}\n{text}") for i in range(100 * megabytes)))


def show(console: Console, part: str, rows: list[Row]) -> None:
    """The worst of them as a table."""
    table = Table(
        title=f"{part}: {len(rows)} took more than {FLOOR} s, {sum(r.ratio > MOST for r in rows)} above {MOST}"
    )
    for title in ("what", "shape", "n", f"{TIMES}n", "ratio"):
        table.add_column(title, justify="left" if title in ("what", "shape") else "right")
    for row in rows[:12]:
        table.add_row(row.what, row.shape, f"{row.small:.3f}", f"{row.large:.3f}", f"{row.ratio:.1f}")
    console.print(table)


if __name__ == "__main__":
    show_help()
    main()
