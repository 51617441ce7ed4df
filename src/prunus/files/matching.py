"""Find lines in a file of which some lines may be unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

MOST: Final = 20_000
"""Lines of the longest file that is followed. A number in a call or a result must not decide how much is held."""


class Line:
    """One known line of a file."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Patience:
    """How many lines may still be compared for one edit of a file with so many lines.

    Thousands of equal lines may stand in a file of equal lines nearly everywhere. No agent writes such an edit, so
    nobody has to wait until every place is known.
    """

    __slots__ = ("left",)

    def __init__(self, lines: int) -> None:
        self.left = 20_000 + 20 * lines

    @property
    def over(self) -> bool:
        """Whether the search was given up: what it found so far is not all."""
        return self.left < 0


def fitting(
    held: Sequence[Line | None],
    wanted: Sequence[str],
    places: range,
    patience: Patience,
    same: Callable[[str], str] = str,
) -> Iterator[int]:
    """Each of the places where no known line differs from the wanted ones; behind the last line anything may be.

    `same` makes equal what counts as equal, in both texts.
    """
    texts = [same(text) for text in wanted]
    size = len(held)
    for place in places:
        at = place
        for text in texts:
            if at >= size or ((line := held[at]) is not None and line.text != text and same(line.text) != text):
                break
            at += 1
        patience.left -= at - place + 1
        if patience.left < 0:
            return
        if at >= size or at == place + len(texts):
            yield place


def without_overlaps(places: Sequence[tuple[int, int]], size: int, end: int) -> list[tuple[int, int]]:
    """Places of a text of several lines without those that overlap an earlier one, which tools do not count."""
    found: list[tuple[int, int]] = []
    for place in places:
        if not found or place >= (found[-1][0] + size - 1, end):
            found.append(place)
    return found


def resembles(lines: Iterable[str | None], old: str) -> bool:
    """Whether known lines look like a text that is not among them."""
    wanted = [line.strip() for line in old.strip().split("\n")]
    held = [None if line is None else line.strip() for line in lines]
    if len(wanted) > 1 and wanted[0] in held and wanted[-1] in held[held.index(wanted[0]) + 1 :]:
        return True
    plain = "\n".join("\0" if text is None else text for text in held)
    return " ".join(old.split()) in " ".join(plain.split())
