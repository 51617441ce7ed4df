"""Makes edits. This is the only place where a history changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from prunus.edits import Added, Continued, Edit, Gone, Input, Note, Proposal, Replacement, Shorter
from prunus.errors import InvariantError
from prunus.history import Attachment, Call, History, Message, Opaque, Part, Result, Text, Thinking
from prunus.json.splice import Path
from prunus.value import replace


def apply(history: History, edits: Iterable[Edit]) -> History:
    """Return the history with every edit made."""
    chosen: dict[int, dict[int, Replacement]] = {}
    for edit in edits:
        chosen.setdefault(edit.target.message, {})[edit.target.part] = edit.replacement
    messages = (
        change(message, chosen[i]) if i in chosen else message for i, message in enumerate(history.messages)
    )
    return History(history.format, tuple(message for message in messages if message is not None))


def with_text_behind(replacement: Replacement | None, words: str, tag: str = "") -> Replacement:
    """Return a result with text and a tag behind its own text and before anything that was added to it."""
    match replacement or Added(""):
        case Note(text):
            return Note(text + words + tag)
        case Shorter(text):
            return Shorter(text + words + tag)
        case Added(text):
            return Added(words + tag + text)
        case other:
            return other


def spelled_out(proposal: Proposal, part: Part) -> Proposal:
    """Return a proposal as the ledger stores it: its replacement does not refer to the text of the part."""
    if isinstance(proposal.replacement, Continued) and isinstance(part, Result):
        return replace(proposal, replacement=Shorter(part.text + proposal.replacement.text))
    return proposal


def change(message: Message, edits: Mapping[int, Replacement]) -> Message | None:
    """Return one message with these parts replaced; None if nothing of the message is left."""
    if message.parts and all(isinstance(edits.get(i), Gone) for i in range(len(message.parts))):
        return None
    emptied = {i for i, edit in edits.items() if isinstance(edit, Note) and isinstance(message.parts[i], Result)}
    parts: list[Part] = []
    places: dict[int, int] = {}
    named: dict[int, list[tuple[Path, str]]] = {}
    for i, part in enumerate(message.parts):
        replacement = edits.get(i)
        if isinstance(part, Attachment | Opaque) and part.inside is not None:
            if part.inside in emptied:
                continue
            if isinstance(replacement, Note):
                named.setdefault(part.inside, []).append((part.at, replacement.text))
                continue
            part = replace(part, inside=places[part.inside])
        if isinstance(replacement, Gone):
            if part.at == ():
                return None
            continue
        places[i] = len(parts)
        parts.append(part if replacement is None else _change_part(part, replacement))
    for i, notes in named.items():
        parts[places[i]] = _with_notes(message.parts[i], edits.get(i), notes)
    return replace(message, parts=tuple(parts))


def _with_notes(part: Part, replacement: Replacement | None, notes: list[tuple[Path, str]]) -> Part:
    """Return a result in which notes replace files: the notes become part of its text."""
    if not isinstance(part, Result):
        raise InvariantError("only a result carries attachments")
    texts = list(zip(part.texts, part.pieces, strict=True))
    if isinstance(replacement, Shorter):
        texts = [(part.texts[0], replacement.text)]
    elif isinstance(replacement, Added) and texts:
        texts[-1] = texts[-1][0], texts[-1][1] + replacement.text
    return replace(part, text="\n".join(text for _, text in sorted([*texts, *notes], key=_block)))


def _block(item: tuple[Path, str]) -> int:
    """The block that a place is in: the last number on the way to it."""
    return next((step for step in reversed(item[0]) if isinstance(step, int)), 0)


def _change_part(part: Part, replacement: Replacement) -> Part:
    match part, replacement:
        case ((Text() | Thinking()), (Note(text) | Shorter(text))):
            return replace(part, text=text)
        case Result(), (Note(text) | Shorter(text)):
            return replace(part, text=text)
        case ((Text() | Result()), Added(text)):
            return replace(part, text=part.text + text)
        case Call(), Input(value):
            return replace(part, input=value, text=msgspec.json.encode(value).decode())
        case Attachment(), Note(text):
            return Text(text)
    raise InvariantError(f"a {type(part).__name__} cannot become a {type(replacement).__name__}")
