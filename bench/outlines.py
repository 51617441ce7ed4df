"""What each piece of an outline is worth: outlines without it, on the dev sessions.

    python bench/outlines.py

For each way the cost against no pruning, the effective cost, lost events per 1,000 requests, hard retention, files,
names in place and the tokens sent; then the ways by fold of repositories, and the time that each sort of outline
takes. Writes bench/results/outlines.json.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from measured import NOTHING, RESULTS, auto, figures, left_out, measured, pieces, recordings
from usage import show_help

from prunus import Pruner
from prunus.calls.toolbox import Toolbox
from prunus.clients.sessions import load
from prunus.history import Result
from prunus.lab.pool import spread
from prunus.lab.run import Measurement
from prunus.lab.summary import summarise
from prunus.outlines import code, output
from prunus.outlines.outline import _written_outline, gist, outline, outline_of, searches
from prunus.providers import provider_named
from prunus.tokens import Counter
from prunus.view.uses import Use
from prunus.view.view import View

ROW = "0.1/1.25"
DIGITS = {"cost": 4, "effective": 4, "lost": 2, "hard": 4, "files": 4, "in_place": 4, "soft": 4, "tokens": 4}


def _none(*given: object, **more: object) -> list[Any]:
    return []


Change = tuple[ModuleType, str, object]
"""A name of a module, and what it stands for instead."""

PIECES: dict[str, tuple[Change, ...]] = {
    "definitions": ((code, "definitions", _none),),
    "paths": ((code, "list_paths", _none), (output, "list_paths", _none)),
    "edges": ((output, "_HEAD", 0), (output, "_TAIL", 0)),
    "complaints": ((output, "_complains", lambda line: False),),
}
WAYS: dict[str, tuple[Change, ...]] = {
    "outlines": (),
    **{f"without {piece}": changes for piece, changes in PIECES.items()},
    "nothing but a note": tuple(change for changes in PIECES.values() for change in changes),
    "twice the definitions": ((code, "_DEFINITIONS", 0.4),),
}
USUAL = {(module, name): vars(module)[name] for changes in WAYS.values() for module, name, _ in changes}


def pruners(row: str) -> Iterator[tuple[str, Pruner]]:
    """The preset with each way, which is in use until the next one is asked for."""
    for way, changes in WAYS.items():
        _use(changes)
        yield way, Pruner(auto(row))
    _use(())


def _use(changes: Iterable[Change]) -> None:
    for (module, name), usual in USUAL.items():
        vars(module)[name] = usual
    for module, name, other in changes:
        vars(module)[name] = other
    for cached in (outline, gist, _written_outline):
        cached.cache_clear()


def measure(path: Path) -> list[Measurement]:
    return [found for one in pieces(path) for found in measured(one, (ROW,), pruners)]


def cheapest(rows: Sequence[Measurement]) -> str:
    """The way with the least effective cost among those that keep nine of ten files that a note alone loses."""
    found = {one.policy: one for one in summarise(rows)}
    least = found["outlines"].files - 0.1 * (found["outlines"].files - found["nothing but a note"].files)
    return min((one for one in found.values() if one.files >= least), key=lambda one: one.effective).policy


def results(paths: Iterable[Path]) -> Iterator[tuple[Use, str]]:
    """Answered calls whose results are long enough to be cut, with their text."""
    for path in paths:
        for session in load(path):
            fmt = provider_named(session.format)
            view = View(Toolbox(), Counter())
            for raw in session.messages:
                message = fmt.parse(raw, b"")
                for event in view.extend(message):
                    if isinstance(event, Use):
                        view.admit(event)
                        part = message.parts[event.result.part]
                        if isinstance(part, Result) and event.size > 600:
                            yield event, part.text


def timed(run: Callable[[Use, str], object], given: Sequence[tuple[Use, str]]) -> float:
    """Microseconds for each KB of text, best of three."""
    size = sum(len(text) for _, text in given) / 1024
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for use, text in given:
            run(use, text)
        best = min(best, time.process_time() - start)
    return round(1e6 * best / size, 1)


def speed(paths: Iterable[Path]) -> dict[str, float]:
    """Microseconds for each KB, by sort of text."""
    sorts: dict[str, list[tuple[Use, str]]] = {"code": [], "listing": [], "log": []}
    for use, text in results(paths):
        read = use.meaning.kind == "read" and use.touches
        sorts["code" if read else "listing" if searches(use) else "log"].append((use, text))

    def cut(use: Use, text: str) -> None:
        outline.cache_clear()
        outline_of(use, text, 0.15)

    return {sort: timed(cut, given) for sort, given in sorts.items() if given}


def main() -> None:
    paths = sorted(recordings(), key=lambda path: -path.stat().st_size)
    found = [one for some in spread(measure, paths) for one in some]
    if not found:
        print(NOTHING)
        return
    ways: dict[str, dict[str, float]] = {}
    for way in WAYS:
        shown = ways[way] = figures(found, ROW, way, DIGITS)
        print(f"{way:24}", *(f"{key} {value:<7}" for key, value in shown.items()))
    chosen = {row.fold: row.policy for row in left_out(found, cheapest)}
    print("chosen on the other folds:", chosen)
    result = {"ways": ways, "chosen for each fold": chosen, "us per KB": speed(paths[:20])}
    print(result["us per KB"])
    (RESULTS / "outlines.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    show_help()
    main()
