"""Ids behind results that come in already: those that Prunus put there, told from what a tool answered.

A pruned request may come again, with its ids. And a tool may answer anything, so also the id of another result: if
that were believed, the model would see one id twice, and what it asks for would happen to the wrong one.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from prunus.calls import comparable
from prunus.fingerprint import fingerprint
from prunus.history import Ref, Result
from prunus.ids import named_so
from prunus.notes import bare, is_file_note, is_note, is_shortened, unfolded, unreminded

_MOVED: Final = 64
"""How far a part may have moved up, by what Prunus took out between it and the part with an id before it."""


class PlacedIds:
    """Follows the results of one conversation."""

    __slots__ = ("_moved",)

    def __init__(self) -> None:
        self._moved = 0
        """Messages that are gone from before the newest result with an id."""

    def untagged(self, ref: Ref, tool: str, result: Result, taken: Container[str]) -> tuple[str, str]:
        """The text of a result as the tool gave it, and the id that Prunus has put behind it already.

        An id counts where it is the one that this very result gets, here or where it stood before. What it was made
        from is gone from a result that Prunus has cut, so that there any id counts that no other part has. All
        others are the tool's own words.
        """
        whole, name = bare_result(result)
        if name and name not in taken:
            text = unfolded(whole)
            cut = text != whole or is_note(text) or shortened(text, result)
            # Words that stand for files may have come since.
            before = (piece for piece, _ in map(bare, result.pieces) if not is_file_note(piece))
            if cut or any(self._gets(name, ref, content_of(tool, one)) for one in (text, "\n".join(before))):
                return whole, name
        return unreminded(result.text), ""

    def _gets(self, id: str, ref: Ref, content: bytes) -> bool:
        """Whether a part gets this id at its place, or got it before messages or parts above it went."""
        for moved in range(self._moved, self._moved + _MOVED):
            if named_so(id, Ref(ref.message + moved, ref.part), content):
                self._moved = moved
                return True
        message = ref.message + self._moved
        return any(named_so(id, Ref(message, ref.part + parts), content) for parts in range(1, _MOVED))


def content_of(tool: str, text: str) -> bytes:
    """The hash of what a tool answered."""
    return fingerprint(comparable(tool, text).encode("utf-8", "surrogatepass"))


def shortened(text: str, result: Result) -> bool:
    """Whether the middle of a result is gone; words that stand for a file may have come behind such a piece."""
    return is_shortened(text) or any(is_shortened(bare(piece)[0]) for piece in result.pieces)


def bare_result(result: Result) -> tuple[str, str]:
    """The text of a result without what may be a tag behind it, and the id in that."""
    text, name = bare(result.text)
    if name or "[id " not in text or not result.pieces:
        return text, name
    # Words that stand for files may have come behind the tag.
    pieces = [bare(piece) for piece in result.pieces]
    return "\n".join(piece for piece, _ in pieces), next((id for _, id in pieces if id), "")
