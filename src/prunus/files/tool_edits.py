"""Follow the files through the calls of writing, editing and patching tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prunus.calls import Touch
from prunus.changes import Change, Insert, Lines, Patch, Replace, Write
from prunus.files.hunks import apply_hunks, apply_numbered
from prunus.files.shown import returned, snippet
from prunus.files.signs import tells_success
from prunus.files.tracked import TrackedFile, TrackedFiles
from prunus.patches import Patched, patched_files
from prunus.paths import ends, join
from prunus.view import Use


def follow_changes(files: TrackedFiles, use: Use, changes: Sequence[Change], text: str) -> None:
    """Carry out the changes of a call that was made, given the text of its result."""
    if any(isinstance(change, Patch) for change in changes):
        _patch(files, use, [file for change in changes if isinstance(change, Patch) for file in change.files])
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


def _edit(files: TrackedFiles, use: Use, file: TrackedFile, changes: Sequence[Change], text: str) -> None:
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


def _is_plain(change: Change) -> bool:
    """Whether a change says all that is needed to follow it."""
    match change:
        case Write(None) | Insert(None, _):
            return False
    return isinstance(change, Write | Replace | Insert | Lines)


def _verify(use: Use, file: TrackedFile, text: str) -> None:
    """Learn the lines that the tool shows after an edit."""
    if file.content.whole and not all(map(file.content.holds, returned(text))):
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
