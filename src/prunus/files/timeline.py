"""What each file contains, followed from one tool call to the next.

The timeline is told of every event of a view in order, looks at each once, and keeps for each file the lines that
are certain. Whatever may have changed a file in a way that cannot be followed makes its lines unknown: a command
that may write, another agent, a read that shows something else than was known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from prunus.calls import Touch, body_of, process_of
from prunus.calls.changes import Change, Insert, Lines, Patch, Replace, Write, changes_of
from prunus.files.content import Line
from prunus.files.followed import Followed, Mention
from prunus.files.hunks import apply_hunks, apply_numbered
from prunus.files.lines import Patience
from prunus.files.printouts import printed_lines, printed_one_by_one
from prunus.files.sed import apply_stream, streams
from prunus.files.shelf import (
    disturb,
    doubt_all,
    file_of,
    forget,
    forget_aliases,
    namesake,
    rename,
    text_of,
)
from prunus.files.shown import Shown, read_result, returned, snippet, window
from prunus.files.signs import (
    TELLS_OF_CHANGES,
    changed_elsewhere,
    changes_files,
    ended,
    explores,
    goes_on,
    noted_changes,
    only_looks,
    proves_unchanged,
    says_unchanged,
    tasks_ended,
    tells_success,
    user_changed,
)
from prunus.files.state import FileState, state_of
from prunus.history import Call, Result, Text
from prunus.patches import Patched, patched_files
from prunus.paths import join
from prunus.shell.effects import moved, written
from prunus.shell.failures import never_ran, refused
from prunus.shell.names import ends
from prunus.shell.reached import ANYTHING, NOTHING, Reach, merged
from prunus.shell.side_effects import reach
from prunus.view import Piece, Use, View, told

__all__ = ["Followed", "Mention", "Timeline"]

_MOST_NAMES: Final = 1000
"""Files that one running command may change, as far as they are kept apart."""
_QUIET: Final = frozenset({"list", "search", "fetch", "todo", "snapshot"})


class Timeline:
    """The files of one conversation."""

    def __init__(self, most: int | None = None) -> None:
        """Follow so many files, those that were used last; None for all."""
        self.files: dict[str, Followed] = {}
        self._most = most
        self._styled: set[str] = set()
        self._loop = 0
        self._reminded = False
        """The client says of files that somebody else has changed."""
        self._accompanied = False
        """Another agent may still be at work: what is unchanged now may not stay so."""
        self._running: dict[str, Reach] = {}

    def take(self, event: Use | Piece, view: View) -> None:
        """Follow the next event."""
        if isinstance(event, Piece):
            self._hear(event)
            return
        call, result = view.part(event.call), view.part(event.result)
        if isinstance(call, Call) and isinstance(result, Result):
            text = told(event, result)
            self._follow(event, call, text, view.folder)
            if text.rstrip().endswith("</system-reminder>"):
                # Some versions of Claude Code put their reminders behind the newest result.
                self._told_of_changes(text[text.rfind("<system-reminder>") :])

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
                    self._accompanied = self._accompanied or not text.strip() or goes_on(call, text)
                    doubt_all(self.files)
            case _:
                self._other(use, call)

    def _file(self, path: str) -> Followed:
        file = file_of(self.files, path)
        if self._most is not None:
            self.files[path] = self.files.pop(path)
            while len(self.files) > self._most:
                del self.files[next(iter(self.files))]
        return file

    def _read(self, use: Use, text: str) -> None:
        if len(use.touches) == 1 and says_unchanged(text):
            if not self._accompanied:
                self._file(use.touches[0].path).settle()
            return
        if not use.visible or use.outcome != "ok":
            return
        if use.meaning.command and (len(use.touches) > 1 or "echo" in use.meaning.command):
            self._printed(use, text)
            return
        if len(use.touches) != 1:
            return
        touch = use.touches[0]
        if use.meaning.command:
            found = printed_lines(use.tool, use.meaning.command, touch.span, text)
        else:
            found = read_result(use.tool, use.meaning.touches[0].span, text)
        if found is not None:
            self.learn(use, touch.path, found)

    def _printed(self, use: Use, text: str) -> None:
        for touch, found in printed_one_by_one(use.tool, use.meaning.command, use.touches, text):
            self.learn(use, touch.path, found)

    def learn(self, use: Use, path: str, found: Shown) -> None:
        """Take over what a read shows of a file."""
        file = self._file(path)
        file.reads += 1
        if file.content.blank and found.total is not None and (same := namesake(self.files, path, found)):
            rename(self.files, same, path, copied=True)
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
        changes = changes_of(call.input, use.meaning) if use.meaning.kind == "edit" else ()
        if not changes or not all(isinstance(change, Lines) for change in changes):
            file.content.forget()
        else:
            patience = Patience(len(file.content.lines) + len(changes))
            for change in changes:
                file.make(change, use.tool, patience)
        file.show(use.index, found)

    def _change(self, use: Use, call: Call, text: str) -> None:
        if use.outcome == "error":
            if changed_elsewhere(text):
                for touch in use.touches:
                    forget(self.files, touch.path)
            return
        for touch in use.touches:
            file = self._file(touch.path)
            if proves_unchanged(use.tool, text) and not self._accompanied:
                file.settle()
            file.count_change()
            file.fresh = use.tool in TELLS_OF_CHANGES
        changes = changes_of(call.input, use.meaning)
        if any(isinstance(change, Patch) for change in changes):
            self._patch(
                use, tuple(file for change in changes if isinstance(change, Patch) for file in change.files)
            )
            return
        if len(use.touches) != 1:
            for touch in use.touches:
                forget(self.files, touch.path)
            if not use.touches:
                doubt_all(self.files)
            return
        file = self._file(use.touches[0].path)
        losses = file.content.losses
        done = use.outcome == "ok" or tells_success(text)
        if not done or use.touches[0].kind == "change" or not all(map(_is_plain, changes)):
            changes = ()
        printed = patched_files(text) if text.startswith("--- ") else ()
        sound = len(printed) == 1 and printed[0].sound and bool(printed[0].hunks)
        if use.stripped or not (changes or sound):
            forget(self.files, file.path)
        elif not changes:
            if apply_numbered(file.content, printed[0].hunks) is None:
                file.forget()
        else:
            self._edit(use, file, changes)
        self._verify(use, file, text)
        if file.content.losses == losses:
            file.traced = use.index

    def _edit(self, use: Use, file: Followed, changes: tuple[Change, ...]) -> None:
        file.deleted = False
        forget_aliases(self.files, file.path)
        made: list[Line] = []
        patience = Patience(len(file.content.lines) + len(changes))
        for change in changes:
            new = file.make(change, use.tool, patience)
            if new is None:
                file.forget()
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

    def _patch(self, use: Use, parts: tuple[Patched, ...]) -> None:
        numbered = any(hunk.start is not None for part in parts for hunk in part.hunks)
        if use.outcome != "ok" or numbered or not all(part.sound for part in parts):
            for touch in use.touches:
                forget(self.files, touch.path)
            return
        resolved = _resolver(use.touches)
        for part in parts:
            path = resolved(part.path)
            file = self._file(path)
            forget_aliases(self.files, path)
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
                        rename(self.files, path, resolved(part.target))

    def _shell(self, use: Use, call: Call, text: str, folder: str) -> None:
        command, body = use.meaning.command, body_of(use.tool, text)
        if refused(text) or ((use.outcome != "ok" or "is not recognized as" in body) and never_ran(command, body)):
            return
        changed = Counter(touch.path for touch in use.touches if touch.kind != "read")
        if use.outcome == "ok" and (move := moved(command)) is not None:
            source, target = join(folder, move.source), join(folder, move.target)
            if source in self.files:
                rename(self.files, source, target, move.copied)
                return
        if not command:
            self._look(call, text)
            return
        if changed and use.outcome == "ok" and self._streamed(use, set(changed), body, folder):
            return
        texts = {join(folder, path): whole for path, whole in written(command).items()}
        found = reach(
            command, body, lambda path: texts.get(join(folder, path)) or text_of(self.files, join(folder, path))
        )
        self._styled.update(found.styled)
        if goes_on(call, text):
            name = process_of(call.input, text)
            running = merged((self._running.get(name, NOTHING), found))
            self._running[name] = ANYTHING if len(running.names) > _MOST_NAMES else running
        formatted = {name for tidied in found.tidied for name in tidied.names} | set(found.spared)
        for path, times in changed.items():
            if times > 1 or formatted.isdisjoint(ends(path)):
                self._file(path).count_change()
                forget(self.files, path)
        disturb(self.files, found)
        if use.visible and use.outcome == "ok" and not changed and any(t.kind == "read" for t in use.touches):
            self._printed(use, text)
        for path, whole in texts.items():
            if use.outcome == "ok" and changed[path] == 1 and not found.covers(path):
                file = self._file(path)
                file.deleted = False
                file.record(use.index, file.content.write(whole))

    def _streamed(self, use: Use, changed: set[str], body: str, folder: str) -> bool:
        """Follow `sed -i`; whether nothing else was changed."""
        edited = streams(use.meaning.command)
        if edited is None or "sed:" in body:
            return False
        resolved = _resolver(use.touches)
        paths = [resolved(path) for path, _ in edited]
        if set(paths) != changed:
            return False
        for path, (_, steps_) in zip(paths, edited, strict=True):
            file = self._file(path)
            file.count_change()
            forget_aliases(self.files, path)
            made = apply_stream(file.content, steps_, lambda name: text_of(self.files, join(folder, name)))
            file.record(use.index, made)
        return True

    def _look(self, call: Call, text: str) -> None:
        """A call without a command: it asks what a running one has printed, or nothing is known of it."""
        if not only_looks(call):
            disturb(self.files, ANYTHING)
            return
        name = process_of(call.input, text)
        for key in (name,) if name in self._running else tuple(self._running):
            disturb(self.files, self._running[key])
        if ended(text):
            self._running.pop(name, None)

    def _other(self, use: Use, call: Call) -> None:
        if changes_files(use.tool):
            doubt_all(self.files)
            return
        for path, file in self.files.items():
            if path.rsplit("/", 1)[-1] in call.text:
                file.forget()

    def _hear(self, event: Piece) -> None:
        """Somebody has spoken, or the client in the place of the user."""
        if not isinstance(event.part, Text):
            return
        text = event.part.text
        if event.role != "assistant":
            if user_changed(text):
                self._trust_user(text)
            self._reminded = self._reminded or "<system-reminder>" in text
            if "was modified" in text:
                self._told_of_changes(text)
            for name in tasks_ended(text):
                if name in self._running:
                    disturb(self.files, self._running.pop(name))
                elif self._accompanied:
                    doubt_all(self.files)
        if event.loop != self._loop:
            self._loop = event.loop
            self._leave_to_user()

    def _trust_user(self, text: str) -> None:
        """The user has changed files: those that are named, or any."""
        named = [path for path in self.files if path.rsplit("/", 1)[-1] in text]
        for path in named:
            forget(self.files, path)
        if not named:
            doubt_all(self.files)

    def _leave_to_user(self) -> None:
        """While the user has the word, an editor may lay out files that were changed, as the project has it.

        Claude Code sees that and tells; a recording without its reminders does not show it.
        """
        ends = tuple(self._styled)
        for file in self.files.values():
            if file.fresh and not file.tidy and not self._reminded and file.path.endswith(ends):
                file.forget()
            file.fresh = False

    def _told_of_changes(self, text: str) -> None:
        for path in noted_changes(text):
            forget(self.files, join("", path))


def _is_plain(change: Change) -> bool:
    """Whether a change says all that is needed to follow it."""
    match change:
        case Write(None) | Insert(None, _):
            return False
    return isinstance(change, Write | Replace | Insert | Lines)


def _resolver(touches: tuple[Touch, ...]) -> Callable[[str], str]:
    """What makes of the path in a patch the one that the view knows."""
    known: dict[str, str] = {}
    for touch in touches:
        for end in ends(touch.path):
            known.setdefault(end, touch.path)

    def resolved(path: str) -> str:
        plain = join("", path)
        return known.get(plain, plain)

    return resolved
