"""Lines of a file as they are now, shown behind the result of a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prunus.calls.shown import Style
from prunus.files import TrackedFile
from prunus.notes import shorten, view_note


def current_lines(file: TrackedFile, numbers: Iterable[int], style: Style) -> str:
    """The words behind a result that show lines of a file: by number, or run by run where none are shown."""
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
