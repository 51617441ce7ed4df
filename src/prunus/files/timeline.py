"""What each file contains, followed from one tool call to the next.

The timeline is given every event of a view in order, looks at each once, and keeps for each file the lines that
are certain. Whatever may have changed a file in a way that cannot be followed makes its lines unknown: a command
that may write, another agent, a read that shows something else than was known.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from prunus.calls.arguments import changes_of
from prunus.calls.changes import Lines
from prunus.calls.paths import ends, join
from prunus.calls.results import body_of, process_of
from prunus.calls.shown import Shown
from prunus.clients.system_reminders import has_reminder, last_reminder
from prunus.files.printouts import printed_lines, printed_one_by_one
from prunus.files.read_results import read_result, window
from prunus.files.signs import (
    CHECKED_EDITS,
    changed_elsewhere,
    changes_files,
    ended,
    ended_tasks,
    explores,
    goes_on,
    never_ran,
    noted_changes,
    only_looks,
    proves_unchanged,
    refused,
    says_unchanged,
    user_changed,
)
from prunus.files.state import FileState, KnownFile, extent_of
from prunus.files.tool_edits import follow_changes
from prunus.files.tracked import TrackedFile, TrackedFiles
from prunus.history import Call, Result, Text
from prunus.shell.side_effects import ANYTHING, NO_EFFECT, SideEffects, find_side_effects, merged
from prunus.shell.spelled_out import only_move, written_texts
from prunus.view.uses import Piece, Use, own_text
from prunus.view.view import View

_MOST_NAMES: Final = 1000
"""The most file names that are kept for a running command; one that may change more may change any file."""
_QUIET: Final = frozenset({"list", "search", "fetch", "todo", "snapshot"})


class Timeline:
    """The files of one conversation."""

    def __init__(self, most: int | None = None) -> None:
        """Follow the most recently used files, up to a number; None follows all."""
        self._files = TrackedFiles(most)
        self._styled: set[str] = set()
        """The endings of file names for which the project has a formatter or a linter."""
        self._loop = 0
        self._reminded = False
        """The client reports files that somebody else has changed."""
        self._accompanied = False
        """Another agent may still be at work, so a file that is unchanged now may change at any time."""
        self._running: dict[str, SideEffects] = {}

    @property
    def files(self) -> dict[str, TrackedFile]:
        """The files that were read or changed, by path."""
        return self._files.by_path

    def take(self, event: Use | Piece, view: View) -> None:
        """Follow the next event."""
        if isinstance(event, Piece):
            self._hear(event)
            return
        call, result = view.part(event.call), view.part(event.result)
        if isinstance(call, Call) and isinstance(result, Result):
            text = own_text(event, result)
            self._follow(event, call, text, view.folder)
            # Some agents put their reminders behind the newest result.
            self._told_of_changes(last_reminder(text))

    def state(self, path: str) -> FileState:
        """Return what is certain about a file now."""
        return self._files.state(path)

    def known_files(self) -> tuple[KnownFile, ...]:
        """How much is known of each file, in the order of their last use."""
        found = ((file, self.state(file.path)) for file in list(self.files.values()))
        return tuple(
            KnownFile(file.path, file.reads, file.edits, state.known, state.length, extent_of(state))
            for file, state in found
        )

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
                    self._files.doubt_all()
            case _:
                self._other(use, call)

    def _read(self, use: Use, text: str) -> None:
        if len(use.touches) == 1 and says_unchanged(text):
            if not self._accompanied:
                self._files.use(use.touches[0].path).settle()
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
        """Learn the lines that a read shows of a file."""
        file = self._files.use(path)
        file.reads += 1
        if not file.show(use.index, found):
            file.changes_unseen = True
        file.deleted = False

    def _window(self, use: Use, call: Call, found: Shown) -> None:
        """Learn the part of the open file that a result shows."""
        path = join("", found.path)
        file = self._files.use(path)
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
            file.make(changes, use.tool)
        file.show(use.index, found)

    def _change(self, use: Use, call: Call, text: str) -> None:
        if use.outcome == "error":
            if changed_elsewhere(text):
                for touch in use.touches:
                    self._files.forget(touch.path)
            return
        for touch in use.touches:
            file = self._files.use(touch.path)
            if proves_unchanged(use.tool, text) and not self._accompanied:
                file.settle()
            file.count_change()
            file.fresh = use.tool in CHECKED_EDITS
        follow_changes(self._files, use, changes_of(call.input, use.meaning), text)

    def _shell(self, use: Use, call: Call, text: str, folder: str) -> None:
        command, body = use.meaning.command, body_of(use.tool, text)
        if refused(text) or ((use.outcome != "ok" or "is not recognized as" in body) and never_ran(command, body)):
            return
        if not command:
            self._look(call, text)
            return
        if use.outcome == "ok" and (moved := only_move(command)) is not None:
            source, target = (join(folder, path) for path in moved)
            if source in self.files:
                self._files.rename(source, target)
                return
        changed = Counter(touch.path for touch in use.touches if touch.kind != "read")
        texts = {join(folder, path): whole for path, whole in written_texts(command).items()}

        def text_of(path: str) -> str | None:
            full = join(folder, path)
            return texts.get(full) or self._files.text_of(full)

        found = find_side_effects(command, body, text_of)
        self._styled.update(found.styled)
        if goes_on(call, text):
            name = process_of(call.input, text)
            running = merged((self._running.get(name, NO_EFFECT), found))
            self._running[name] = ANYTHING if len(running.names) > _MOST_NAMES else running
        formatted = {name for run in found.formatters for name in run.names}
        for path, times in changed.items():
            if times > 1 or formatted.isdisjoint(ends(path)):
                self._files.use(path).count_change()
                self._files.forget(path)
        self._files.disturb(found)
        if use.visible and use.outcome == "ok" and not changed and any(t.kind == "read" for t in use.touches):
            self._printed(use, text)
        for path, whole in texts.items():
            if use.outcome == "ok" and changed[path] == 1 and not found.covers(path):
                file = self._files.use(path)
                file.deleted = False
                file.record(use.index, file.content.write(whole))

    def _look(self, call: Call, text: str) -> None:
        """Follow a call without a command: it may ask what a running command has printed."""
        if not only_looks(call):
            self._files.disturb(ANYTHING)
            return
        name = process_of(call.input, text)
        for key in (name,) if name in self._running else tuple(self._running):
            self._files.disturb(self._running[key])
        if ended(text):
            self._running.pop(name, None)

    def _other(self, use: Use, call: Call) -> None:
        if changes_files(use.tool):
            self._files.doubt_all()
            return
        for path, file in self.files.items():
            if path.rsplit("/", 1)[-1] in call.text:
                file.forget()

    def _hear(self, event: Piece) -> None:
        """Follow a message of the assistant, of the user, or of the client in the user's place."""
        if not isinstance(event.part, Text):
            return
        text = event.part.text
        if event.role != "assistant":
            if user_changed(text):
                self._trust_user(text)
            self._reminded = self._reminded or has_reminder(text)
            if "was modified" in text:
                self._told_of_changes(text)
            for name in ended_tasks(text):
                if name in self._running:
                    self._files.disturb(self._running.pop(name))
                elif self._accompanied:
                    self._files.doubt_all()
        if event.loop != self._loop:
            self._loop = event.loop
            self._leave_to_user()

    def _trust_user(self, text: str) -> None:
        """Forget the files that the user says to have changed; without a name, doubt all files."""
        named = [path for path in self.files if path.rsplit("/", 1)[-1] in text]
        for path in named:
            self._files.forget(path)
        if not named:
            self._files.doubt_all()

    def _leave_to_user(self) -> None:
        """Forget changed files that an editor may format while the user is at work.

        Agents that send reminders report such changes; a recording without reminders does not show them.
        """
        suffixes = tuple(self._styled)
        for file in self.files.values():
            if file.fresh and not file.formatted_by and not self._reminded and file.path.endswith(suffixes):
                file.forget()
            file.fresh = False

    def _told_of_changes(self, text: str) -> None:
        for path in noted_changes(text):
            self._files.forget(join("", path))
