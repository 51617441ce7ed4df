"""What each file contains, followed from one tool call to the next.

The timeline is told of every event of a view in order, looks at each once, and keeps for each file the lines that
are certain. Whatever may have changed a file in a way that cannot be followed makes its lines unknown: a command
that may write, another agent, a read that shows something else than was known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from prunus.files.arguments import Change, Splice, asked, patch_in
from prunus.files.commands import moved, printed_lines, written
from prunus.files.content import Line
from prunus.files.followed import Followed, Mention
from prunus.files.hunks import Section, apply_hunks, apply_steps, sections, steps
from prunus.files.reach import ANYTHING, NOTHING, Reach, reach
from prunus.files.sed import apply_stream, streams
from prunus.files.shown import Shown, read_result, returned, snippet, window
from prunus.files.signs import (
    changed_elsewhere,
    changes_files,
    explores,
    goes_on,
    noted_changes,
    only_looks,
    tells_success,
)
from prunus.files.state import FileState, state_of
from prunus.history import Call, Result, Text
from prunus.notes import unfolded
from prunus.tools import Touch
from prunus.tools.paths import join
from prunus.view import Piece, Use, View

__all__ = ["Followed", "Mention", "Timeline"]

_QUIET: Final = frozenset({"list", "search", "fetch", "todo", "snapshot"})


class Timeline:
    """The files of one conversation."""

    def __init__(self) -> None:
        self.files: dict[str, Followed] = {}
        self._running = NOTHING

    def take(self, event: Use | Piece, view: View) -> None:
        """Follow the next event."""
        if isinstance(event, Piece):
            if isinstance(event.part, Text) and "was modified" in event.part.text:
                self._told_of_changes(event.part.text)
            return
        call, result = view.part(event.call), view.part(event.result)
        if isinstance(call, Call) and isinstance(result, Result):
            self._follow(event, call, unfolded(result.text), view.folder)

    def state(self, path: str) -> FileState:
        """What is certain of a file now."""
        file = self.files.get(path)
        return FileState(path) if file is None else state_of(path, file.content, file.deleted)

    def current(self, path: str) -> Iterator[tuple[Mention, tuple[tuple[int, int], ...]]]:
        """For each call that showed lines of a file, those still there: their number then and now."""
        file = self.files.get(path)
        if file is None:
            return
        now = {id(line): number for number, line in enumerate(file.content.lines, 1) if line is not None}
        for mention in file.mentions:
            places = ((mention.start + at, now.get(id(line))) for at, line in enumerate(mention.lines))
            yield mention, tuple((then, here) for then, here in places if here is not None)

    def _follow(self, use: Use, call: Call, text: str, folder: str) -> None:
        kind = use.meaning.kind
        if kind in _QUIET:
            return
        if (found := window(text)) is not None and kind in ("read", "write", "edit", "other"):
            self._window(use, call, found)
            return
        match kind:
            case "read":
                self._read(use, text)
            case "write" | "edit":
                self._change(use, call, text)
            case "shell":
                self._shell(use, call, text, folder)
            case "task":
                if not explores(call):
                    self._forget_all()
            case _:
                self._other(use, call)

    def _file(self, path: str) -> Followed:
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = Followed(path)
        return file

    def _read(self, use: Use, text: str) -> None:
        if not use.visible or use.outcome != "ok" or len(use.touches) != 1:
            return
        touch = use.touches[0]
        if use.meaning.command:
            found = printed_lines(use.tool, use.meaning.command, touch.span, text)
        else:
            found = read_result(use.tool, use.meaning.touches[0].span, text)
        if found is not None:
            self.learn(use, touch.path, found)

    def learn(self, use: Use, path: str, found: Shown) -> None:
        """Take over what a read shows of a file."""
        file = self._file(path)
        file.reads += 1
        if not file.show(use.index, found):
            file.restless = True
        file.deleted = False

    def _window(self, use: Use, call: Call, found: Shown) -> None:
        path = join("", found.path)
        file = self._file(path)
        if use.meaning.kind == "read" or (use.meaning.kind == "other" and use.tool in ("open", "goto")):
            if use.ok:
                self.learn(use, path, found)
            return
        if use.outcome == "error":
            return
        file.edits += 1
        changes = asked(call, writes=False) if use.meaning.kind == "edit" else None
        if changes is None or not all(isinstance(change, Splice) for change in changes):
            file.content.forget()
        else:
            for change in changes:
                file.make(change, use.tool)
        file.show(use.index, found)

    def _change(self, use: Use, call: Call, text: str) -> None:
        if use.outcome == "error":
            if changed_elsewhere(text):
                for touch in use.touches:
                    self._forget(touch.path)
            return
        for touch in use.touches:
            self._file(touch.path).count_change()
        if patch := patch_in(call, use.meaning.command):
            self._patch(use, sections(patch))
            return
        if len(use.touches) != 1:
            for touch in use.touches:
                self._forget(touch.path)
            if not use.touches:
                self._forget_all()
            return
        file = self._file(use.touches[0].path)
        losses = file.content.losses
        done = use.outcome == "ok" or tells_success(text)
        changes = asked(call, use.meaning.kind == "write") if done else None
        if use.touches[0].kind == "change":
            changes = None
        printed = steps(text) if text.startswith("--- ") else ()
        if use.stripped or (changes is None and not printed):
            self._forget(file.path)
        elif changes is None:
            if apply_steps(file.content, printed) is None:
                file.content.forget()
        else:
            self._edit(use, file, changes)
        self._verify(use, file, text)
        if file.content.losses == losses:
            file.traced = use.index

    def _edit(self, use: Use, file: Followed, changes: tuple[Change, ...]) -> None:
        file.deleted = False
        self._forget_aliases(file.path)
        made: list[Line] = []
        for change in changes:
            new = file.make(change, use.tool)
            if new is None:
                file.content.forget()
                return
            made += new
        file.record(use.index, made)

    def _verify(self, use: Use, file: Followed, text: str) -> None:
        """Take over the lines that the tool shows after an edit."""
        if file.content.whole and not all(map(file.content.holds, returned(text))):
            file.content.forget()
        found = snippet(text)
        if found is not None:
            file.show(use.index, found)

    def _patch(self, use: Use, parts: tuple[Section, ...]) -> None:
        if not parts or use.outcome != "ok":
            for touch in use.touches:
                self._forget(touch.path)
            return
        for part in parts:
            path = _resolved(part.path, use.touches)
            file = self._file(path)
            self._forget_aliases(path)
            match part.verb:
                case "Add File":
                    file.deleted = False
                    file.record(use.index, file.content.write(part.text))
                case "Delete File":
                    file.content.forget()
                    file.deleted = True
                case _:
                    file.record(use.index, apply_hunks(file.content, part.hunks))
                    if part.target:
                        self._rename(path, _resolved(part.target, use.touches))

    def _rename(self, source: str, target: str, copied: bool = False) -> None:
        old, new = self._file(source), self._file(target)
        new.content.lines = list(old.content.lines)
        new.content.length, new.content.ended = old.content.length, old.content.ended
        new.deleted = False
        if not copied:
            old.content.forget()
            old.deleted = True

    def _shell(self, use: Use, call: Call, text: str, folder: str) -> None:
        command = use.meaning.command
        changed = Counter(touch.path for touch in use.touches if touch.kind != "read")
        if use.outcome == "ok" and (rename := moved(command)) is not None:
            source, target = join(folder, rename.source), join(folder, rename.target)
            if source in self.files:
                self._rename(source, target, rename.copied)
                return
        if not command:
            self._disturb(self._running if only_looks(call) else ANYTHING)
            return
        if use.outcome == "ok" and len(changed) == 1 and (edited := streams(command)) is not None:
            file = self._file(next(iter(changed)))
            file.count_change()
            self._forget_aliases(file.path)
            file.record(use.index, apply_stream(file.content, edited[1]))
            return
        texts = {join(folder, path): whole for path, whole in written(command).items()}
        found = reach(
            command, text, lambda path: texts.get(join(folder, path), self.state(join(folder, path)).text)
        )
        if goes_on(call, text):
            self._running |= found
        formatted = {name for tidied in found.tidied for name in tidied.names}
        for path in changed:
            if not any(path == name or path.endswith("/" + name) for name in formatted):
                self._file(path).count_change()
                self._forget(path)
        self._disturb(found)
        for path, whole in texts.items():
            if use.outcome == "ok" and changed[path] == 1 and not found.covers(path):
                file = self._file(path)
                file.deleted = False
                file.record(use.index, file.content.write(whole))

    def _disturb(self, found: Reach) -> None:
        if found == NOTHING:
            return
        for file in self.files.values():
            if file.restless or found.covers(file.path):
                file.content.forget()
                file.tidy.clear()
            for tidied in found.tidied:
                if tidied.covers(file.path, file.edits):
                    if tidied.name not in file.tidy and (file.edits or not tidied.edited or tidied.names):
                        file.content.forget()
                        file.tidy.clear()
                    file.tidy.add(tidied.name)

    def _other(self, use: Use, call: Call) -> None:
        if changes_files(use.tool):
            self._forget_all()
            return
        for path, file in self.files.items():
            if path.rsplit("/", 1)[-1] in call.text:
                file.content.forget()

    def _told_of_changes(self, text: str) -> None:
        for path in noted_changes(text):
            self._forget(join("", path))

    def _forget(self, path: str) -> None:
        """Nothing is known of a file any more, nor of one that may be the same under another name."""
        if (file := self.files.get(path)) is not None:
            file.content.forget()
            file.deleted = False
        self._forget_aliases(path)

    def _forget_aliases(self, path: str) -> None:
        for other, file in self.files.items():
            if other != path and (other.endswith("/" + path) or path.endswith("/" + other)):
                file.content.forget()

    def _forget_all(self) -> None:
        for file in self.files.values():
            file.content.forget()


def _resolved(path: str, touches: tuple[Touch, ...]) -> str:
    """The path of a patch as the view knows it."""
    plain = join("", path)
    return next((t.path for t in touches if t.path == plain or t.path.endswith("/" + plain)), plain)
