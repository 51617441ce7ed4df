"""Outlines: the text that stays when a longer text is cut.

The outline of a cut result keeps the definitions of code, the paths of listings, and the error lines of logs. The
outline of a text that was written to a file stands behind the result of the call. A view shows the current lines of
a file instead of its older reads and edits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal

from prunus.calls.shown import Style
from prunus.edits import Input
from prunus.files.tracked import TrackedFile
from prunus.notes import is_shortened, outline_note, shorten, view_note, written_note
from prunus.outlines.code import code
from prunus.outlines.output import listing, log, middle
from prunus.proposals import bare_input
from prunus.shell.spelled_out import lists_places
from prunus.view.uses import Use
from prunus.view.view import View

Sort = Literal["code", "listing", "log"]

_READ: Final = 1 << 20
"""Characters of a text that an outline is made from."""
_BEGINNING: Final = 120
_SEVERAL: Final = re.compile(r"[;&|\n]")


def outline_of(use: Use, text: str, share: float) -> str:
    """Return an outline of the result of a call, of at most about this share of its text."""
    if use.meaning.kind == "read" and use.touches:
        touch = use.touches[0]
        alone = len(use.touches) == 1 and not _SEVERAL.search(use.meaning.command)
        return outline(text, share, "code", touch.path, max(touch.span.start, 0) if alone else 0)
    return outline(text, share, "listing" if searches(use) else "log")


@lru_cache(maxsize=16)
def outline(text: str, share: float, sort: Sort = "log", path: str = "", first: int = 0) -> str:
    """Return an outline of at most about this share of a text, with a note below that counts the removed lines.

    The outline of a file has its definitions, with their line numbers; `first` is the number of its first line. The
    outline of a listing has the paths. Any other outline has the first and last lines, the error lines, and the
    paths. A text that is an outline already stays as it is.
    """
    if is_shortened(text):
        return text
    # The first megabyte has enough for an outline, and reading more would keep all threads waiting.
    beyond = sum(text.count("\n", at, at + _READ) for at in range(_READ, len(text), _READ))
    text = text[:_READ]
    room = int(len(text) * share)
    match sort:
        case "code":
            sketch = code(text, room, path, first)
        case "listing":
            sketch = listing(text, room)
        case "log":
            sketch = log(text, room)
    total = sketch.total + beyond
    return "\n".join((*sketch.shown, outline_note(sketch.kept, total, "" if beyond else sketch.where)))


@lru_cache(maxsize=4)
def gist(text: str, share: float, *, listing: bool = False) -> str:
    """Return error lines and paths of at most about this share of a text; each line ends with a newline."""
    text = text[:_READ]
    return "".join(f"{line}\n" for line in middle(text, int(len(text) * share), listing=listing))


def searches(use: Use) -> bool:
    """Whether a call searches or lists, by a tool of its own or by a command."""
    if use.meaning.kind in ("search", "list"):
        return True
    return use.meaning.kind == "shell" and lists_places(use.meaning.command)


def lean_input(use: Use, view: View, over: int, share: float) -> Input | None:
    """Return the arguments that identify a call, and an outline of the text that the call wrote to a file.

    The outline has at most this share of the text: its definitions, or its first line if it has none. It is shown
    behind the result and not in place of the text, because models copy placeholders from arguments into files. An
    edit and a failed write have no outline. Returns None if no argument is bulky, or if the outline has no place.
    """
    call, kept = view.call(use), bare_input(use, view, over)
    if kept is None or not isinstance(call.input, Mapping):
        return None
    if use.meaning.kind != "write" or len(use.touches) != 1 or not share or not use.ok:
        return Input(kept)
    # A cut result may have text only because a note replaced a picture, so an outline had no place there before.
    if not view.result(use).texts or use.cut or use.shortened or use.defines or use.compacted:
        return None
    texts = (value for key, value in call.input.items() if key not in kept and isinstance(value, str))
    text = "\n".join(texts).strip("\n")
    words, size = _written_outline(text, share, use.touches[0].path)
    return Input(kept, f"\n\n{words}", use.result) if size < len(text) else None


@lru_cache(maxsize=4)
def _written_outline(text: str, share: float, path: str) -> tuple[str, int]:
    """Return an outline of at most this share of a written text, and the bytes that the outline has in JSON."""
    sketch = code(text, int(len(text) * share), path, 1)
    begins = text[:_BEGINNING].split("\n")[0]
    head = written_note(shorten(path), sketch.total - sketch.kept, sketch.total)
    words = "\n".join((head, *(sketch.shown or [begins])))
    return words, len(json.dumps(words, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def current_lines(file: TrackedFile, numbers: Iterable[int], style: Style) -> str:
    """Return the text that shows lines of a file behind a result.

    Each line has its number. If the agent's reads show no numbers, each run of lines has a heading instead.
    """
    head = f"\n\n{view_note(shorten(file.path))}"
    lines = [(number, file.content.text_at(number) or "") for number in numbers]
    if not lines:
        return head
    if style.separator:
        return f"{head}\n{style.show(lines)}"
    return "\n".join((head, *(f"[lines {run[0][0]}-{run[-1][0]}]\n{_bare(run)}" for run in _runs(lines))))


def _bare(run: list[tuple[int, str]]) -> str:
    return "\n".join(text for _, text in run)


def _runs(lines: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    run: list[tuple[int, str]] = []
    for line in lines:
        if run and run[-1][0] + 1 != line[0]:
            yield run
            run = []
        run.append(line)
    yield run
