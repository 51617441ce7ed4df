"""Build the changelog of a session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from prunus.calls.arguments import changes_of, edited_path
from prunus.calls.paths import join
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Touch
from prunus.changelog.file_edits import FileEdit, LoggedAction, edits_of, edits_of_command
from prunus.changelog.standing import Entry, Reason, StandingChanges
from prunus.changelog.values import Changelog, FileLog, PurposeLine
from prunus.clients.dialect import pattern
from prunus.histories import histories
from prunus.history import Call, History, Ref, Result, Text
from prunus.intent import intent_of
from prunus.tokens import Counter
from prunus.view.uses import Piece, Use
from prunus.view.view import View

_OPEN_FILE: Final = pattern("open_file", flags=re.M)
_VERBS: Final = {
    "written": "Rewritten",
    "edited": "Edited",
    "appended": "Extended",
    "deleted": "Deleted",
    "renamed": "Renamed",
    "undone": "Edited",
}
_REACH: Final = 3
"""Turns for which a sentence of the assistant explains the edits after it; each such edit starts the count anew."""


def generate_changelog(history: Any, since: int = 0, *, toolbox: Toolbox | None = None) -> Changelog:
    """Return what a session did to each file: one line per purpose, with the lines added and removed.

    `history` is a request (a dict, JSON text or bytes), a list of messages, a loaded session, or several sessions
    in order, whose turns are numbered continuously. The purpose is the `intent` of the call. Without an intent, it
    is the sentence that the assistant wrote before the call, marked as inferred, or else a plain word such as
    "Edited". Failed and reverted edits are left out. With `since`, only changes from that turn on count. Raises
    FormatError for a history that Prunus cannot read.
    """
    standing = StandingChanges(since)
    box = toolbox or Toolbox()
    failed = turns = 0
    done: set[tuple[str, bytes]] = set()
    folder = ""
    for one in histories(history):
        reader = _CallReader(one, box, turns)
        for call, use, result in reader.uses():
            mark = (call.id, use.signature)
            if call.id and mark in done:
                continue  # a conversation that goes on after a compaction may carry calls of the one before
            done.add(mark)
            for touch in use.touches if use.ok and use.meaning.kind == "read" else ():
                standing.exists(touch.path)
            actions = reader.actions(call, use, result)
            if actions is None:
                failed += use.turn + turns >= since
                continue
            for action in actions:
                standing.take(action, reader.reason(call, use, action))
        turns += reader.view.turn
        folder = folder or reader.view.folder
    entries = standing.left()
    return Changelog(tuple(_files(entries, folder)), failed, standing.reverted)


class _CallReader:
    """One history, call by call, with what the assistant said before each."""

    def __init__(self, history: History, toolbox: Toolbox, turns: int) -> None:
        self.view = View(toolbox, Counter())
        self._history = history
        self._turns = turns
        self._said: dict[Ref, tuple[str, int]] = {}
        self._going: tuple[str, int] = ("", 0)

    def uses(self) -> Iterator[tuple[Call, Use, str]]:
        """The answered calls in order."""
        text, at = "", 0
        for index, message in enumerate(self._history.messages):
            events = self.view.extend(message)
            turns = {event.ref: event.turn for event in events if isinstance(event, Piece)}
            if message.role == "user" and message.spoken:
                text = ""
            for i, part in enumerate(message.parts):
                if isinstance(part, Text) and message.role == "assistant" and part.text.strip():
                    text, at = part.text, turns.get(Ref(index, i), self.view.turn)
                elif isinstance(part, Call):
                    self._said[Ref(index, i)] = text, at
            for event in events:
                if isinstance(event, Use):
                    call, result = self._history.part(event.call), self._history.part(event.result)
                    if isinstance(call, Call) and isinstance(result, Result):
                        yield call, event, result.text

    def actions(self, call: Call, use: Use, result: str) -> tuple[LoggedAction, ...] | None:
        """The actions of a call, with the paths of the view; None if the call failed."""
        kind, given = use.meaning.kind, call.input
        own = edited_path(given) if kind == "other" else ""
        changing = [touch for touch in use.touches if touch.kind != "read"]
        if use.meaning.command and not (isinstance(given, Mapping) and kind in ("write", "edit") and not changing):
            found = edits_of_command(use.meaning.command, result, not use.ok)
            if found is None:
                return None if changing else ()
        elif kind not in ("write", "edit") and not own and not changing:
            return ()
        elif not use.ok:
            return None
        else:
            path = own or (changing[0].path if len(changing) == 1 else "") or _opened(result)
            found = edits_of(changes_of(given, use.meaning), path)
            if not found:
                found = _somehow(changing)
        return tuple(self._rooted(action, use) for action in found)

    def reason(self, call: Call, use: Use, action: LoggedAction) -> Reason:
        """Why a call was made."""
        turn = use.turn + self._turns
        if given := stated(call.input):
            return Reason(turn, given, "given", use.index)
        text, said = self._said.get(use.call, ("", 0))
        latest = self._going[1] if self._going[0] == text else said
        if text and use.turn - max(said, latest) <= _REACH and (words := sentence(text)):
            self._going = text, use.turn
            return Reason(turn, words, "inferred", use.index)
        return Reason(turn, _plain(action, use), "none", use.index)

    def _rooted(self, action: LoggedAction, use: Use) -> LoggedAction:
        """An action with its paths as the view spells them."""
        if not isinstance(action, FileEdit):
            return action
        source = self._path(action.source, use) if action.source else ""
        return replace(action, path=self._path(action.path, use), source=source)

    def _path(self, name: str, use: Use) -> str:
        """A path as the view spells it, below the folder that a command had changed to."""
        tidy = join("", name)
        for touch in use.touches:
            if touch.path == tidy or touch.path.endswith(f"/{tidy}"):
                return touch.path
        return join(self.view.folder, tidy)


def _somehow(touches: Sequence[Touch]) -> tuple[FileEdit, ...]:
    """Edits of files that changed in an unknown way."""
    return tuple(FileEdit(touch.path, "edited", exact=False) for touch in touches)


def _opened(result: str) -> str:
    """The file that a result shows as the open one; the call itself does not name it."""
    found = _OPEN_FILE.search(result)
    return found[1] if found else ""


def _plain(action: LoggedAction, use: Use) -> str:
    """A word for an action that nobody explained."""
    if not isinstance(action, FileEdit):
        return "Edited"
    if use.meaning.command and action.verb == "edited" and not action.exact:
        return "Changed by a shell command"
    return f"Renamed from {action.source}" if action.verb == "renamed" else _VERBS[action.verb]


def _files(entries: Sequence[Entry], folder: str) -> Iterator[FileLog]:
    by_path: dict[str, list[Entry]] = {}
    for entry in entries:
        by_path.setdefault(entry.path, []).append(entry)
    for path, mine in by_path.items():
        yield FileLog(_below(path, folder), tuple(_lines(mine)))


def _lines(entries: Sequence[Entry]) -> Iterator[PurposeLine]:
    """One line for each purpose, in the order in which they came up."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        created = entry.new and entry.reason.origin == "none"
        words = "Created" if created else entry.reason.purpose
        groups.setdefault((words, entry.reason.origin), []).append(entry)
    for (words, _), mine in groups.items():
        counted = [entry.counts() for entry in mine]
        turns = [entry.reason.turn for entry in mine]
        yield PurposeLine(
            words,
            mine[0].reason.origin,
            sum(added for added, _ in counted),
            sum(removed for _, removed in counted),
            all(entry.exact for entry in mine),
            len({(entry.reason.turn, entry.reason.call) for entry in mine}),
            min(turns),
            max(turns),
        )


def _below(path: str, folder: str) -> str:
    """The path as seen from the folder that the agent works in."""
    return path[len(folder) + 1 :] if folder and path.startswith(f"{folder}/") else path


_STATED: Final = ("instruction", "instructions", "explanation", "description")
"""Arguments in which some agents' own tools say why."""
_LONGEST: Final = 160
_FENCE: Final = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.M | re.S)
_MARKS: Final = re.compile(r"^(?:\*\*(?!\s)|[#>*+-]++\s+|\d++[.)]\s+)+")
_LABEL: Final = re.compile(r"^(?:THOUGHT|DISCUSSION|Thought|Reasoning):\s*")
_TAG: Final = re.compile(r"</?[a-zA-Z][\w-]*>")
_END: Final = re.compile(r"(?<=[.!?])[\"')*]*\s+(?=[A-Z`\"'(])")
_FEW: Final = 4
"""Words below which a sentence is joined with the one before."""


def stated(given: Mapping[str, Any] | str) -> str:
    """The purpose that the call itself names; empty if it names none."""
    if isinstance(given, str):
        return ""
    for words in (intent_of(given), *(given.get(key) for key in _STATED)):
        if isinstance(words, str) and words.strip():
            return _shorter(words)
    return ""


def sentence(text: str) -> str:
    """The last sentence of what the assistant wrote, code and Markdown aside; empty if there is none."""
    prose = _TAG.sub("", _FENCE.sub("", text))
    lines = [_LABEL.sub("", _MARKS.sub("", line.strip())) for line in prose.splitlines()]
    lines = [line for line in lines if re.search(r"[^\W\d_]{2}", line)]
    if not lines:
        return ""
    sentences = _END.split(lines[-1])
    last = sentences[-1]
    if len(last.split()) < _FEW and len(sentences) > 1:
        last = f"{sentences[-2]} {last}"
    return _shorter(last.replace("**", "").rstrip(" :"))


def _shorter(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1].rstrip()}…"
