"""The files of a whole history: what each contained after any turn, and how each was edited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches

from prunus.calls.arguments import changes_of
from prunus.calls.changes import Hunk, Insert, Lines, Patched, Replace, Unclear, Write
from prunus.calls.meaning import Meaning
from prunus.calls.paths import join
from prunus.calls.toolbox import Toolbox
from prunus.errors import PrunusError
from prunus.files.state import FileState
from prunus.files.timeline import Timeline
from prunus.files.tracked import TrackedFile
from prunus.history import Call, Message
from prunus.tokens import Counter
from prunus.view.uses import Piece, Use
from prunus.view.view import View


class NoSuchFile(PrunusError):
    """The history has no such file, or several that could be meant."""

    def __init__(self, path: str, candidates: tuple[str, ...], ambiguous: bool = False) -> None:
        self.path, self.candidates, self.ambiguous = path, candidates, ambiguous
        names = ", ".join(candidates)
        unknown = f"{path} is in no read or edit of this history" + (f"; there is {names}" if names else "")
        super().__init__(f"{path} could be any of {names}" if ambiguous else unknown)


class NoSuchTurn(PrunusError):
    """The history has fewer turns."""

    def __init__(self, turn: int, turns: int) -> None:
        self.turn, self.turns = turn, turns
        super().__init__(f"no turn {turn}: this history has {turns} turn{'s' * (turns != 1)}, counted from 1")


@dataclass(slots=True)
class FileHistory:
    """The files of a history.

    A turn is one model step, counted from 1; its state is the one after the results of its calls.
    """

    messages: tuple[Message, ...]
    toolbox: Toolbox = field(default_factory=Toolbox)
    _view: View = field(init=False, repr=False)
    _events: list[Use | Piece] = field(init=False, repr=False)
    _last: Timeline = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._view = View(self.toolbox, Counter())
        self._view.look_at(self.messages.__getitem__)
        self._events = []
        for message in self.messages:
            for event in self._view.extend(message):
                if isinstance(event, Use):
                    self._view.admit(event)
                self._events.append(event)
        self._last = self._until(self.turns)

    @property
    def turns(self) -> int:
        """The number of turns."""
        return self._view.turn

    @property
    def files(self) -> tuple[TrackedFile, ...]:
        """Every file that was read or changed, in the order of first use."""
        return tuple(self._last.files.values())

    def timeline(self, turn: int | None = None) -> Timeline:
        """All files after a turn; without one, at the end."""
        if turn is None or turn == self.turns:
            return self._last
        if not 1 <= turn <= self.turns:
            raise NoSuchTurn(turn, self.turns)
        return self._until(turn)

    def file_state_at(self, path: str, turn: int | None = None) -> FileState:
        """Return the contents of a file after a turn; without a turn, at the end.

        The path may be the end of a longer one. Raises NoSuchFile and NoSuchTurn.
        """
        return self.timeline(turn).state(self.resolve(path))

    def last_known(self, path: str, turn: int) -> int | None:
        """The newest turn, up to the given one, after which some line of a file is certain."""
        timeline, found = Timeline(), None
        before = 0
        for event in self._events:
            if event.turn > turn:
                break
            if event.turn != before and before and timeline.state(path).known:
                found = before
            before = event.turn
            timeline.take(event, self._view)
        return before if timeline.state(path).known else found

    def diff(self, path: str, turn: int | None = None) -> tuple[str, ...]:
        """Every successful edit and write of a file up to a turn, in order, from the arguments of the calls."""
        found = self.resolve(path)
        last = self.turns if turn is None else turn
        if not 1 <= last <= self.turns:
            raise NoSuchTurn(last, self.turns)
        return tuple(line for use in self._view.uses if use.turn <= last for line in self._edited(use, found))

    def _edited(self, use: Use, path: str) -> Iterator[str]:
        call, touch = self._view.part(use.call), use.touched(path)
        if touch is not None and touch.kind in ("write", "edit") and use.ok and isinstance(call, Call):
            yield from edit_lines(call, use.meaning, use.turn)

    def resolve(self, path: str) -> str:
        """The tracked path that a shorter or relative spelling means."""
        files = self._last.files
        plain = join("", path)
        rooted = join(self._view.folder, path)
        for candidate in (path, plain, rooted):
            if candidate in files:
                return candidate
        ends = tuple(known for known in files if known.endswith("/" + plain) or plain.endswith("/" + known))
        if len(ends) == 1:
            return ends[0]
        if ends:
            raise NoSuchFile(path, ends, ambiguous=True)
        raise NoSuchFile(path, _alike(plain, files))

    def _until(self, turn: int) -> Timeline:
        timeline = Timeline()
        for event in self._events:
            if event.turn <= turn:
                timeline.take(event, self._view)
        return timeline


def _alike(path: str, files: Iterable[str]) -> tuple[str, ...]:
    """Up to five files whose name resembles the one asked for."""
    known = list(files)
    names = {file.rsplit("/", 1)[-1]: file for file in known}
    close = get_close_matches(path.rsplit("/", 1)[-1], names, n=5, cutoff=0.6)
    return tuple(dict.fromkeys([names[name] for name in close]))


def edit_lines(call: Call, meaning: Meaning, turn: int) -> Iterator[str]:
    """One writing or editing call as a hunk: its intent, the lines that it removed and the lines that it added."""
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
            case Patched():
                yield from _patched(change)


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
