"""Follow the files through the calls of writing, editing and patching tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from prunus.calls.changes import FileChange, Hunk, Insert, Lines, Patched, Replace, Write, patched_files
from prunus.calls.paths import ends, join
from prunus.calls.touches import Touch
from prunus.files.content import MOST, Content, Line, Patience, fitting
from prunus.files.read_results import snippet, updated_code
from prunus.files.signs import tells_success
from prunus.files.tracked import TrackedFile, TrackedFiles
from prunus.view.uses import Use


def follow_changes(files: TrackedFiles, use: Use, changes: Sequence[FileChange], text: str) -> None:
    """Carry out the changes of a call that was made, given the text of its result."""
    if patched := [change for change in changes if isinstance(change, Patched)]:
        _patch(files, use, patched)
        return
    if len(use.touches) != 1:
        for touch in use.touches:
            files.forget(touch.path)
        if not use.touches:
            files.doubt_all()
        return
    file = files.use(use.touches[0].path)
    losses = file.content.losses
    _edit(files, use, file, changes, text)
    _verify(use, file, text)
    if file.content.losses == losses:
        file.traced = use.index


def _edit(files: TrackedFiles, use: Use, file: TrackedFile, changes: Sequence[FileChange], text: str) -> None:
    done = use.outcome == "ok" or tells_success(text)
    followed = done and use.touches[0].kind != "change" and bool(changes) and all(map(_is_plain, changes))
    printed = patched_files(text) if text.startswith("--- ") else ()
    sound = len(printed) == 1 and printed[0].sound and bool(printed[0].hunks)
    if use.stripped or not (followed or sound):
        files.forget(file.path)
    elif followed:
        file.deleted = False
        files.forget_aliases(file.path)
        file.record(use.index, file.make(changes, use.tool))
    elif apply_numbered(file.content, printed[0].hunks) is None:
        file.forget()


def _is_plain(change: FileChange) -> bool:
    """Whether a change says all that is needed to follow it."""
    match change:
        case Write(None) | Insert(None, _):
            return False
    return isinstance(change, Write | Replace | Insert | Lines)


def _verify(use: Use, file: TrackedFile, text: str) -> None:
    """Learn the lines that the tool shows after an edit."""
    if file.content.whole and not all(map(file.content.holds, updated_code(text))):
        file.content.forget()
    found = snippet(text)
    if found is not None:
        file.show(use.index, found)


def _patch(files: TrackedFiles, use: Use, parts: Sequence[Patched]) -> None:
    numbered = any(hunk.start is not None for part in parts for hunk in part.hunks)
    if use.outcome != "ok" or numbered or not all(part.sound for part in parts):
        for touch in use.touches:
            files.forget(touch.path)
        return
    resolved = _resolver(use.touches)
    for part in parts:
        path = resolved(part.path)
        file = files.use(path)
        files.forget_aliases(path)
        match part.verb:
            case "Add":
                file.deleted = False
                file.record(use.index, file.content.write(part.text))
            case "Delete":
                file.forget()
                file.deleted = True
            case _:
                file.record(use.index, apply_hunks(file.content, part.hunks))
                if part.target:
                    files.rename(path, resolved(part.target))


def _resolver(touches: tuple[Touch, ...]) -> Callable[[str], str]:
    """A function that turns the path in a patch into the path that the view knows."""
    known: dict[str, str] = {}
    for touch in touches:
        for end in ends(touch.path):
            known.setdefault(end, touch.path)

    def resolved(path: str) -> str:
        plain = join("", path)
        return known.get(plain, plain)

    return resolved


def apply_hunks(content: Content, hunks: Sequence[Hunk]) -> list[Line] | None:
    """Apply the hunks of an apply_patch envelope; returns the new lines, None if they cannot apply here.

    They are looked for from top to bottom, each below the one before, and the first place that fits is taken. Only
    a place before which no other fits, known or not, is certain.
    """
    made: list[Line] = []
    at = 0
    patience = Patience(len(content.lines) + sum(len(hunk.old) for hunk in hunks))
    for hunk in hunks:
        for name in hunk.below:
            sure, perhaps = _places(content, (name,), at, patience)
            if sure is None and not perhaps and content.length is not None:
                return None
            first = min([*perhaps, len(content.lines) if sure is None else sure])
            at = first + 1 if first == sure else first
        if patience.over:
            return None
        if not hunk.old:
            if content.length is None or hunk.below or content.text_at(content.length) in ("", None):
                _lose(content, min(at, max(len(content.lines) - 1, 0)))
            else:
                made += content.splice(content.length + 1, 0, hunk.new)
            continue
        old, new = hunk.old, hunk.new
        sure, perhaps = _places(content, old, at, patience)
        if sure is None and not perhaps and old[-1] == "" and len(old) > 1:
            old, new = old[:-1], new[:-1] if new and new[-1] == "" else new
            sure, perhaps = _places(content, old, at, patience)
        if patience.over or (sure is None and not perhaps and content.length is not None):
            return None
        if sure is not None and not hunk.last and not perhaps:
            made += content.splice(sure + 1, len(old), new)
            at = sure + len(new)
            continue
        places = list(_fitting(content, old, at, patience))
        content.disturb(places, len(old), len(new) - len(old))
        at = min(places, default=len(content.lines))
    # apply_patch takes an empty last line for the line break before it.
    if content.lines and content.text_at(len(content.lines)) == "":
        content.lines.pop()
    if content.length is not None:
        content.length = len(content.lines)
        content.ended = True if content.lines else None
    return made


def _lose(content: Content, at: int) -> None:
    """Forget all lines from this one on."""
    del content.lines[at:]
    content.length = content.ended = None


def _places(content: Content, old: Sequence[str], at: int, patience: Patience) -> tuple[int | None, list[int]]:
    """The first place at which known lines fit exactly, and the places before it at which the lines may be."""
    perhaps: list[int] = []
    for place in _fitting(content, old, at, patience):
        if [line and line.text for line in content.lines[place : place + len(old)]] == list(old):
            return place, perhaps
        perhaps.append(place)
    return None, perhaps


def _fitting(content: Content, old: Sequence[str], at: int, patience: Patience) -> Iterator[int]:
    """Every place at which the lines may be, blanks at both ends aside."""
    room = len(content.lines) - (len(old) - 1 if content.length is not None else 0)
    return fitting(content.lines, old, range(at, room), patience, str.strip)


def apply_numbered(content: Content, hunks: Sequence[Hunk]) -> list[Line] | None:
    """Apply the hunks of a diff that a tool printed; None if they contradict a known line."""
    made: list[Line] = []
    moved = 0
    for hunk in hunks:
        start = (hunk.start or 0) + moved
        if start > MOST or not content.agrees(start, hunk.old):
            return None
        if len(content.lines) < start - 1:
            content.lines += [None] * (start - 1 - len(content.lines))
        made += content.splice(start, len(hunk.old), hunk.new)
        moved += len(hunk.new) - len(hunk.old)
    return made
