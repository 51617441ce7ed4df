"""The edits of one file as a diff, from what the calls themselves say: the ground truth of a compressed run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from prunus.calls import Meaning
from prunus.calls.arguments import changes_of
from prunus.changes import Insert, Lines, Patch, Replace, Unclear, Write
from prunus.history import Call
from prunus.patches import Hunk, Patched


def edit_lines(call: Call, meaning: Meaning, turn: int) -> Iterator[str]:
    """One writing or editing call as a hunk: what it took away, what it brought, and what it was for."""
    intent = call.input.get("intent") if isinstance(call.input, Mapping) else None
    why = f": {' '.join(intent.split())}" if isinstance(intent, str) and intent.strip() else ""
    yield f"@@ turn {turn}, {meaning.kind}{why} @@"
    changes = changes_of(call.input, meaning)
    if not changes or any(isinstance(change, Unclear) or change == Write(None) for change in changes):
        yield from call.text.splitlines()
        return
    for change in changes:
        match change:
            case Replace(old, new):
                yield from _signed("-", old)
                yield from _signed("+", new)
            case Write(str(text)) | Insert(text=text) | Lines(text=text):
                yield from _signed("+", text)
            case Patch(files):
                for file in files:
                    yield from _patched(file)


def _patched(file: Patched) -> Iterator[str]:
    moved = f" -> {file.target}" if file.target else ""
    yield f"*** {file.verb} File: {file.path}{moved}"
    if file.verb == "Add":
        yield from _signed("+", file.text.removesuffix("\n"))
        return
    for hunk in file.hunks:
        yield f"@@ {' '.join(hunk.below)}".rstrip()
        yield from _diff(hunk)


def _diff(hunk: Hunk) -> Iterator[str]:
    old, new = hunk.old, hunk.new
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (f" {line}" for line in old[a:b])
        else:
            yield from (f"-{line}" for line in old[a:b])
            yield from (f"+{line}" for line in new[c:d])


def _signed(sign: str, text: str) -> Iterator[str]:
    return (sign + line for line in text.split("\n")) if text else iter(())
