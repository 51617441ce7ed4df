"""Replace one text by another in a file of which some lines may be unknown."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from prunus.files.content import PERHAPS_NOTHING, Content, Line, Patience, fitting, resembles, without_overlaps


def replace_text(
    content: Content, old: str, new: str, every: bool = False, loose: bool = False, patience: Patience | None = None
) -> list[Line] | None:
    """Put one text in the place of another; returns the new lines, None if the edit cannot have happened here.

    The tool has made sure that the old text is in the file, and only once unless every occurrence is replaced. If
    the old text may be among unknown lines, every line that the edit may have changed or moved becomes unknown. A
    loose tool also accepts a text that only looks like the old one.
    """
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        if content.length == 0 or content.blank:
            return content.write(new)
        return None
    pieces = content.pieces()
    patience = patience or Patience(len(pieces) + old.count("\n"))
    sure, perhaps = _places(content, pieces, old.split("\n"), patience)
    if patience.over:
        content.forget()
        return []
    if every:
        return _replace_every(content, pieces, old, new, sure, perhaps)
    size = old.count("\n") + 1
    if size > 1:
        sure = without_overlaps(sure, size, len(old.rsplit("\n", 1)[1]))
    if len(sure) > 1:
        return None
    if sure:
        at, column = sure[0]
        if over := [place for place in perhaps if at - size < place < at]:
            # Tools count what overlaps once, and take what comes first.
            content.disturb([*over, at], size, new.count("\n") - size + 1, pieces)
            return []
        return _replace_at(content, pieces, at, column, old, new)
    if (not perhaps and content.length is not None) or (
        loose and resembles([None if piece is None else piece.text for piece in pieces], old)
    ):
        return None
    shift = new.count("\n") - old.count("\n")
    content.disturb(perhaps, old.count("\n") + 1, shift, pieces)
    return []


def _places(
    content: Content, pieces: list[Line | None], old: list[str], patience: Patience
) -> tuple[list[tuple[int, int]], list[int]]:
    """Where a text certainly is, as line and column, and at which lines it may be."""
    sure: list[tuple[int, int]] = []
    perhaps: list[int] = []
    if len(old) == 1:
        patience.left -= len(pieces) // 4
        for at, line in enumerate(pieces):
            if line is None:
                perhaps.append(at)
                continue
            column = line.text.find(old[0])
            while column >= 0:
                sure.append((at, column))
                column = line.text.find(old[0], column + len(old[0]))
        return sure, perhaps
    first, *middle, last = old
    places = range(1, 1 + len(pieces) - (0 if content.length is None else len(old) - 1))
    for below in fitting(pieces, middle, places, patience):
        at, end = below - 1, below + len(middle)
        line, behind = pieces[at], pieces[end] if end < len(pieces) else None
        if line is not None and not line.text.endswith(first):
            continue
        if behind is not None and not behind.text.startswith(last):
            continue
        if line is None or behind is None or behind is PERHAPS_NOTHING or None in pieces[below:end]:
            perhaps.append(at)
        else:
            sure.append((at, len(line.text) - len(first)))
    return sure, perhaps


def _replace_at(
    content: Content, pieces: list[Line | None], at: int, column: int, old: str, new: str
) -> list[Line]:
    size = old.count("\n") + 1
    first, last = pieces[at], pieces[at + size - 1]
    assert first is not None and last is not None
    front = first.text[:column]
    back = last.text[column + len(old) if size == 1 else len(old.rsplit("\n", 1)[1]) :]
    made = content.kept(pieces[at : at + size], (front + new + back).split("\n"))
    pieces[at : at + size] = made
    content.take(pieces)
    return made


def _replace_every(
    content: Content,
    pieces: list[Line | None],
    old: str,
    new: str,
    sure: list[tuple[int, int]],
    perhaps: list[int],
) -> list[Line] | None:
    if not sure and not perhaps and content.length is not None:
        return None
    if "\n" not in old and "\n" not in new:
        made = []
        for at in dict.fromkeys(place for place, _ in sure):
            line = pieces[at]
            assert line is not None
            made.append(Line(line.text.replace(old, new)))
            pieces[at] = made[-1]
        content.take(pieces)
        return made
    size = old.count("\n") + 1
    separate = all(after[0] >= before[0] + size for before, after in pairwise(sure))
    if separate and new.count("\n") + 1 == size:
        return _replace_in_place(content, pieces, old, new, sure, perhaps)
    # Lines move, so that nothing below the first place is certain.
    first = min([*perhaps, *(place for place, _ in sure), len(pieces)])
    content.lines, content.length, content.ended = pieces[:first], None, None
    content.losses += 1
    return []


def _replace_in_place(
    content: Content,
    pieces: list[Line | None],
    old: str,
    new: str,
    sure: list[tuple[int, int]],
    perhaps: list[int],
) -> list[Line]:
    """Replace every occurrence by as many lines, so that no line moves."""
    size = old.count("\n") + 1
    made: list[Line] = []
    unsure = list(perhaps)
    for at, column in sure:
        if bisect_left(perhaps, at) > bisect_left(perhaps, at - size + 1):
            unsure.append(at)
            continue
        first, last = pieces[at], pieces[at + size - 1]
        assert first is not None and last is not None
        back = last.text[len(old.rsplit("\n", 1)[1]) :]
        new_lines = [Line(text) for text in (first.text[:column] + new + back).split("\n")]
        pieces[at : at + size] = new_lines
        made += new_lines
    for place in unsure:
        end = min(place + size, len(pieces))
        content.losses += any(pieces[place:end])
        pieces[place:end] = [None] * (end - place)
    content.take(pieces)
    return made
