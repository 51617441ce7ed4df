"""Recognise the ids that Prunus appended to tool results in an earlier request.

A client may send a pruned request again, with the ids in it. A tool may also print the id of another result. If
Prunus believed such a printed id, the model would see one id twice, and its request could hit the wrong part.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from prunus.calls.results import comparable
from prunus.history import Ref, Result, named_so
from prunus.notes import is_file_note, is_note, is_shortened, unfolded, unreminded, without_tag
from prunus.text.fingerprint import fingerprint, utf8

_MOVED: Final = 64
"""A part may have moved up by at most this many messages or parts, because Prunus removed others above it."""


class PlacedIds:
    """Recognises the appended ids in one conversation; call `untagged` for its results in order."""

    __slots__ = ("_moved",)

    def __init__(self) -> None:
        self._moved = 0
        """The number of messages that were removed above the newest result with an id."""

    def untagged(self, ref: Ref, tool: str, result: Result, taken: Container[str]) -> tuple[str, str]:
        """Return the text of a result as the tool gave it, and the id that Prunus appended to it, if any.

        An id is genuine if Prunus would give it to this result, at its place now or at an earlier place. Prunus
        cannot compute the id of a result that it has shortened, because the full text is gone; such a result may
        have any id that no other part has. Any other id is part of the tool's own output.
        """
        whole, name = bare_result(result)
        if name and name not in taken:
            text = unfolded(whole)
            cut = text != whole or is_note(text) or shortened(text, result)
            # File notes may have been added after the id was computed.
            before = (piece for piece, _ in map(without_tag, result.pieces) if not is_file_note(piece))
            if cut or any(self._gets(name, ref, content_of(tool, one)) for one in (text, "\n".join(before))):
                return whole, name
        return unreminded(result.text), ""

    def _gets(self, id: str, ref: Ref, content: bytes) -> bool:
        """Return whether the part has this id at its place, or had it before messages or parts above it went."""
        for moved in range(self._moved, self._moved + _MOVED):
            if named_so(id, Ref(ref.message + moved, ref.part), content):
                self._moved = moved
                return True
        message = ref.message + self._moved
        return any(named_so(id, Ref(message, ref.part + parts), content) for parts in range(1, _MOVED))


def content_of(tool: str, text: str) -> bytes:
    """Return the hash of a tool's answer."""
    return fingerprint(*utf8(comparable(tool, text)))


def shortened(text: str, result: Result) -> bool:
    """Return whether a result is shortened; each of its pieces counts, because file notes may follow the cut."""
    return is_shortened(text) or any(is_shortened(without_tag(piece)[0]) for piece in result.pieces)


def without_file_notes(text: str, result: Result) -> str:
    """Return the text of a result without the notes that stand for its attachments.

    With an attachment or with its note, a result is then judged alike.
    """
    pieces = [piece for piece, _ in map(without_tag, result.pieces)]
    if text != "\n".join(pieces) or not any(map(is_file_note, pieces)):
        return text
    return "\n".join(piece for piece in pieces if not is_file_note(piece))


def bare_result(result: Result) -> tuple[str, str]:
    """Return the text of a result without a trailing id tag, and the id in the tag, if any."""
    text, name = without_tag(result.text)
    if name or not result.pieces or "[id " not in text:
        return text, name
    # File notes may follow the tag.
    pieces = [without_tag(piece) for piece in result.pieces]
    return "\n".join(piece for piece, _ in pieces), next((id for _, id in pieces if id), "")
