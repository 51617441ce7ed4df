"""Pairs each call with its result and describes the pair.

Calls and results are paired by place and id together, because some models start their ids again in each turn. A
client may send a pruned request again, with the ids that Prunus appended to its results; `PlacedIds` recognises
them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from prunus.calls.meaning import Meaning
from prunus.calls.paths import join
from prunus.calls.results import comparable, is_cut, is_stub, outcome, process_of
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Span, Touch
from prunus.history import Call, Ref, Result, is_id_of
from prunus.notes import (
    is_file_note,
    is_note,
    is_shortened,
    pointer_target,
    without_outline_note,
    without_reminder,
    without_tag,
    without_views,
)
from prunus.text.fingerprint import fingerprint, utf8
from prunus.text.numbers import as_number
from prunus.view.todos import Colours, colours_of, tasks_in
from prunus.view.uses import Use, bare_result, without_file_notes

_NUMBERED = re.compile(r"^[^\S\n]*+(\d+)(?:→|\t|: |\| ?)", re.MULTILINE)
_CHANGES_DIRECTORY = re.compile(r"(?:^|[;&|(\n])[^\S\n]*(?:cd|pushd|popd|Set-Location)\b")

_MOVED: Final = 64
"""A part may have moved up by at most this many messages or parts, because Prunus removed others above it."""


@dataclass(slots=True)
class _OpenCall:
    ref: Ref
    call: Call
    turn: int
    tokens: int


class Pairing:
    """The open calls of one conversation, and what later calls need to know of earlier ones."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._placed = PlacedIds()
        self._open: dict[str, list[_OpenCall]] = {}
        self._reading: set[str] = set()
        """Processes that read files and had more to print when their call was answered."""
        self._epoch = 0
        self.answered = 0
        """How many calls have been answered."""
        self.colours = Colours()
        """The content that the coloured items of the newest todo list name."""

    def call(self, ref: Ref, call: Call, turn: int, tokens: int) -> None:
        """Take in a call; `tokens` are the tokens of its arguments."""
        waiting = self._open.setdefault(call.id, [])
        if waiting and waiting[-1].turn != turn:
            waiting.clear()
        waiting.append(_OpenCall(ref, call, turn, tokens))

    def result(
        self, ref: Ref, result: Result, tokens: int, ids: Container[str], folder: str, *, carries: bool
    ) -> Use | None:
        """Take in a result, and return the answered call; None if no call waits for the result.

        `ids` are the short ids that are taken, and `folder` is the folder that the agent works in, or empty.
        `carries` says that other parts are inside the result.
        """
        waiting = self._open.get(result.id)
        if not waiting or result.open:
            return None
        opened = waiting.pop(0)
        if not waiting:
            del self._open[result.id]
        self.answered += 1
        call = opened.call
        tagless, name = self._placed.text_and_id(ref, call.tool, result, ids)
        whole = without_file_notes(tagless, result)
        text = without_views(whole)
        meaning = self._as_read(self._toolbox.meaning(call.tool, call.input), call, text)
        ended = outcome(meaning, call.tool, without_outline_note(text), result.error)
        if meaning.key == "todo:write" and ended != "error":
            self.colours = colours_of(tasks_in(call.input))
        stripped = _is_stripped(meaning, call)
        return Use(
            index=self.answered - 1,
            call=opened.ref,
            result=ref,
            tool=call.tool,
            meaning=meaning,
            outcome=ended,
            turn=opened.turn,
            touches=_lines_shown(_in_folder(meaning.touches, folder), text),
            signature=b"" if stripped else _signature(call.tool, call.input),
            shown=content_of(call.tool, text),
            size=len(whole),
            tokens=tokens,
            input_tokens=opened.tokens,
            stub=is_stub(text),
            cut=is_note(text),
            compacted=result.compacted,
            defines=result.defines,
            shortened=is_result_shortened(text, result),
            stripped=stripped,
            epoch=self._enter(meaning),
            name=name,
            folded=text != whole,
            points=pointer_target(text),
            empty=result.at == (),
            carries=carries or whole != tagless,
        )

    def _as_read(self, meaning: Meaning, call: Call, text: str) -> Meaning:
        """Return the meaning of a call; a call that fetches the output of a running command that reads is a read.

        Nobody knows which lines of which files that output shows, so the call touches no file.
        """
        if meaning.kind == "read" and meaning.command:
            if process := process_of(None, text):
                self._reading.add(process)
        elif meaning.kind == "shell" and not meaning.command and process_of(call.input, text) in self._reading:
            return replace(meaning, kind="read")
        return meaning

    def _enter(self, meaning: Meaning) -> int:
        """Return the epoch of a command. Some agents keep one shell, in which a `cd` changes what `ls` means."""
        if not meaning.command:
            return 0
        epoch = self._epoch
        self._epoch += _CHANGES_DIRECTORY.search(meaning.command) is not None
        return epoch


def _is_stripped(meaning: Meaning, call: Call) -> bool:
    """Whether the bulk of the arguments of a call was removed in an earlier pass."""
    given = call.input
    bulky = meaning.kind in ("write", "edit", "task") and isinstance(given, Mapping) and bool(given)
    return bulky and set(given) <= set(meaning.metadata)


def _in_folder(touches: tuple[Touch, ...], folder: str) -> tuple[Touch, ...]:
    """Return the touches with their relative paths joined to the folder that the agent works in."""
    if not folder:
        return touches
    return tuple(replace(touch, path=join(folder, touch.path)) for touch in touches)


def _signature(tool: str, given: Mapping[str, Any] | str) -> bytes:
    plain = given.encode() if isinstance(given, str) else msgspec.json.encode(given, order="deterministic")
    return fingerprint(tool.encode() + b"\0" + plain)


def _lines_shown(touches: tuple[Touch, ...], text: str) -> tuple[Touch, ...]:
    """Return the touches of a call with the lines that its result shows.

    A tool may cut off the read of a whole file. Such a read does not cover the rest of the file.
    """
    if len(touches) != 1:
        return touches
    touch = touches[0]
    if touch.kind != "read" or touch.span.end is not None or touch.span.start < 0:
        return touches
    if not is_cut(text):
        return touches
    numbers = [as_number(found) for found in _NUMBERED.findall(text[-1500:])]
    # Without line numbers, nobody knows how far the read came, so it covers no other read.
    end = max(numbers) if numbers else touch.span.start
    return (replace(touch, span=Span(touch.span.start, end)),)


class PlacedIds:
    """Recognises the ids that Prunus appended to the results of one conversation; call `text_and_id` in order.

    A tool may also print the id of another result. If Prunus believed such a printed id, the model would see one id
    twice, and its request could hit the wrong part.
    """

    __slots__ = ("_moved",)

    def __init__(self) -> None:
        self._moved = 0
        """The number of messages that were removed above the newest result with an id."""

    def text_and_id(self, ref: Ref, tool: str, result: Result, taken: Container[str]) -> tuple[str, str]:
        """Return the text of a result as the tool gave it, and the id that Prunus appended to it, if any.

        An id is genuine if Prunus would give it to this result, at its place now or at an earlier place. Prunus
        cannot compute the id of a result that it has shortened, because the full text is gone; such a result may
        have any id that no other part has. Any other id is part of the tool's own output.
        """
        whole, name = bare_result(result)
        if name and name not in taken:
            text = without_views(whole)
            cut = text != whole or is_note(text) or is_result_shortened(text, result)
            # File notes may have been added after the id was computed.
            before = (piece for piece, _ in map(without_tag, result.pieces) if not is_file_note(piece))
            if cut or any(self._gets(name, ref, content_of(tool, one)) for one in (text, "\n".join(before))):
                return whole, name
        return without_reminder(result.text), ""

    def _gets(self, id: str, ref: Ref, content: bytes) -> bool:
        """Return whether the part has this id at its place, or had it before messages or parts above it went."""
        for moved in range(self._moved, self._moved + _MOVED):
            if is_id_of(id, Ref(ref.message + moved, ref.part), content):
                self._moved = moved
                return True
        message = ref.message + self._moved
        return any(is_id_of(id, Ref(message, ref.part + parts), content) for parts in range(1, _MOVED))


def content_of(tool: str, text: str) -> bytes:
    """Return the hash of a tool's answer."""
    return fingerprint(*utf8(comparable(tool, text)))


def is_result_shortened(text: str, result: Result) -> bool:
    """Return whether a result is shortened; each of its pieces counts, because file notes may follow the cut."""
    return is_shortened(text) or any(is_shortened(without_tag(piece)[0]) for piece in result.pieces)
