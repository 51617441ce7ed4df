"""What the outlines are worth: other ways to leave something behind in their place, on the dev sessions.

Cost against no pruning, worst session, hard and soft retention for each way and price row; then the time that each
sort of outline takes, and where tree-sitter and its grammars are installed, what those find and how long they take.
"""

from __future__ import annotations

import importlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from measured import NOTHING, RESULTS, Measured, auto, figures, measured, pieces, recordings

from prunus import Pruner
from prunus.calls import Toolbox
from prunus.clients.sessions import load
from prunus.history import Result
from prunus.lab.pool import spread
from prunus.notes import outline_note
from prunus.outlines.code import definitions
from prunus.outlines.outline import gist, outline, outline_of, searches
from prunus.outlines.texts import names
from prunus.providers import provider_named
from prunus.strategies import finished_results, folded_views, long_outputs, past_tasks
from prunus.tokens import Counter
from prunus.uses import Use
from prunus.view import View

ROWS = ("0.1/1.25", "0.5/1.0")
DIGITS = {"cost": 3, "worst": 2, "hard": 4, "soft": 4}
GRAMMARS = {
    "py": ("tree_sitter_python", "language"),
    "js": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "ts": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rs": ("tree_sitter_rust", "language"),
}
DEFINING = re.compile(
    r"(?:function|class|method|abstract_class|interface|type_alias|enum)_(?:definition|declaration)|type_spec"
    r"|(?:function|struct|enum|trait|impl|mod|type)_item"
)

Way = tuple[Callable[[Use, str, float], str], Callable[..., str]]


def _noted(text: str, shown: Iterable[str]) -> str:
    lines = text.count("\n") + 1
    return "\n".join((*shown, outline_note(lines, lines)))


def _placeholder(use: Use, text: str, share: float) -> str:
    return _noted(text, ())


def _head_and_tail(use: Use, text: str, share: float) -> str:
    half = int(len(text) * share / 2)
    return _noted(text, (text[:half], text[len(text) - half :]))


def _names(use: Use, text: str, share: float) -> str:
    return _noted(text, names(text, int(len(text) * share)))


def _nothing(text: str, share: float, *, listing: bool = False) -> str:
    return ""


def _named(text: str, share: float, *, listing: bool = False) -> str:
    return "".join(f"{line}\n" for line in names(text, int(len(text) * share)))


def _as_a_log(use: Use, text: str, share: float) -> str:
    return outline(text, share)


WAYS: dict[str, Way] = {
    "outlines": (outline_of, gist),
    "nothing but a note": (_placeholder, _nothing),
    "head and tail": (_head_and_tail, _nothing),
    "names alone": (_names, _named),
    "every result as a log": (_as_a_log, lambda text, share, listing: gist(text, share)),
}
SHARES = (0.12, 0.1, 0.07)


def pruners(row: str) -> Iterator[tuple[str, Pruner]]:
    """The preset with each way to leave something behind, which is in use until the next one is asked for."""
    for way, (cut, middle) in WAYS.items():
        for module in (finished_results, past_tasks, folded_views):
            vars(module)["outline_of"] = cut
        vars(long_outputs)["gist"] = middle
        yield way, Pruner(auto(row))
    for module in (finished_results, past_tasks, folded_views):
        vars(module)["outline_of"] = outline_of
    vars(long_outputs)["gist"] = gist
    for share in SHARES:
        fields = {
            "finished_results": "share",
            "past_tasks": "share",
            "folded_views": "outline",
            "long_outputs": "middle",
        }
        strategies = {name: {key: share} for name, key in fields.items()}
        yield f"outlines of {100 * share:.0f} %", Pruner(auto(row, strategies))


def measure(path: Path) -> list[Measured]:
    return [found for one in pieces(path) for found in measured(one, ROWS, pruners)]


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


def grammars(paths: Iterable[Path]) -> dict[str, dict[str, float]]:
    """What regular expressions and the grammars of tree-sitter find in what was read, and their time."""
    try:
        tree_sitter = importlib.import_module("tree_sitter")
        parsers = {
            ending: tree_sitter.Parser(tree_sitter.Language(getattr(importlib.import_module(module), name)()))
            for ending, (module, name) in GRAMMARS.items()
        }
    except ImportError:
        return {}
    given = [
        (use, _unnumbered(text))
        for use, text in results(paths)
        if use.meaning.kind == "read" and use.touches and _ending(use) in parsers
    ]

    def by_expression(use: Use, text: str) -> int:
        return len(list(definitions(text, use.touches[0].path, 1)))

    def by_grammar(use: Use, text: str) -> int:
        return _defined(parsers[_ending(use)].parse(text.encode("utf-8", "replace")).walk())

    return {
        name: {"definitions": sum(run(*one) for one in given), "us per KB": timed(run, given)}
        for name, run in (("regular expressions", by_expression), ("tree-sitter", by_grammar))
    }


def _ending(use: Use) -> str:
    return use.touches[0].path.rpartition(".")[2].lower()


def _unnumbered(text: str) -> str:
    return re.sub(r"^[ \t]*\d+(?:→|\t|: ?|\| ?)", "", text, flags=re.M)


def _defined(cursor: Any) -> int:
    """How many definitions a tree holds, functions that are given a name by `const` among them."""
    count = 0
    while True:
        node = cursor.node
        if node.type == "variable_declarator":
            value = node.child_by_field_name("value")
            count += value is not None and value.type in ("arrow_function", "function_expression")
        count += DEFINING.fullmatch(node.type) is not None
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return count


def main() -> None:
    paths = sorted(recordings(), key=lambda path: -path.stat().st_size)
    found = [one for some in spread(measure, paths) for one in some]
    if not found:
        print(NOTHING)
        return
    ways: dict[str, dict[str, dict[str, float]]] = {}
    for way in dict.fromkeys(one.variant for one in found):
        for row in ROWS:
            shown = ways.setdefault(way, {})[row] = figures(found, row, way, DIGITS)
            print(f"{way:24}{row:10}", *(f"{key} {value:<7}" for key, value in shown.items()))
    result = {"ways": ways, "us per KB": speed(paths[:20]), "definitions": grammars(paths[:20])}
    print(result["us per KB"], result["definitions"] or "(tree-sitter is not installed)", sep="\n")
    (RESULTS / "outlines.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
