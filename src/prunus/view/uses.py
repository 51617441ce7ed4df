"""Answered calls and other parts, each described once for everything that looks at a history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from prunus.calls.meaning import Meaning
from prunus.calls.results import CallOutcome
from prunus.calls.touches import Touch
from prunus.history import Attachment, Call, Marker, Opaque, Part, Ref, Result, Role, Text, Thinking
from prunus.notes import is_file_note, split_outlines, without_reminder, without_tag, without_views
from prunus.tokens import Counter, attachment_tokens
from prunus.value import value


@value
class Use:
    """One tool call that has been answered."""

    index: int
    """Its place among all answered calls."""
    call: Ref
    result: Ref
    tool: str
    meaning: Meaning
    outcome: CallOutcome
    turn: int
    touches: tuple[Touch, ...] = ()
    """The files it read or changed, with the lines that the result really shows."""
    signature: bytes = b""
    """Equal for calls of the same tool with the same arguments, in any order of keys; empty if not comparable."""
    shown: bytes = b""
    """Equal for results with the same text; noise such as a process id does not count."""
    size: int = 0
    """Characters of the result."""
    tokens: int = 0
    input_tokens: int = 0
    stub: bool = False
    """The result only points back to an earlier one."""
    cut: bool = False
    """The result is a note already."""
    compacted: bool = False
    defines: bool = False
    shortened: bool = False
    """The middle of the result is gone already."""
    stripped: bool = False
    """The bulk of its input is gone already."""
    epoch: int = 0
    """Counts the changes of directory before a shell command; elsewhere 0."""
    name: str = ""
    """The id that is shown behind the result already."""
    folded: bool = False
    """Current lines of its file stand behind the result already."""
    points: tuple[str, int] | None = None
    """The result is a note that points to an earlier one: what that is, and how many characters it has."""
    empty: bool = False
    """The result has no content that could be changed."""
    carries: bool = False
    """The result holds files or other parts beside its text, so that equal texts do not make equal results."""

    ok: bool = field(init=False, repr=False, compare=False)
    """The call did not fail."""
    visible: bool = field(init=False, repr=False, compare=False)
    """The result still shows the answer of the tool."""

    def __post_init__(self) -> None:
        # Every strategy looks at these, many times for each call.
        silent = self.meaning.kind == "read" and self.outcome == "unknown"
        object.__setattr__(self, "ok", self.outcome != "error")
        object.__setattr__(self, "visible", not (self.edited or self.stub or self.compacted or silent))

    @property
    def edited(self) -> bool:
        """Whether an earlier pass of Prunus has changed the text of the result."""
        return self.cut or self.shortened or self.folded

    @property
    def paths(self) -> Iterable[str]:
        """The files it read or changed, each once."""
        if len(self.touches) == 1:
            return (self.touches[0].path,)
        return dict.fromkeys(touch.path for touch in self.touches)

    def touched(self, path: str) -> Touch | None:
        """The effect on a file, if any."""
        for touch in self.touches:
            if touch.path == path:
                return touch
        return None


@value
class Piece:
    """A part that is no call and no result: text, thinking, an attachment, a marker."""

    ref: Ref
    part: Text | Thinking | Attachment | Marker
    role: Role
    turn: int
    loop: int


@value
class Shape:
    """The role of a message, and the kinds and tokens of its parts, without its content."""

    role: Role
    definitions: bool
    """It carries tool definitions."""
    kinds: tuple[type[Part], ...]
    tokens: tuple[int, ...]
    """The tokens of each part before any edit."""


def own_text(use: Use, result: Result) -> str:
    """Return the answer of a tool without everything that Prunus put behind it."""
    text = bare_result(result)[0] if use.name else without_reminder(result.text)
    whole = without_file_notes(text, result)
    return without_views(whole) if use.folded else whole


def without_file_notes(text: str, result: Result) -> str:
    """Return the text of a result without the notes that replaced its attachments.

    So Prunus treats the result alike before and after an attachment is replaced.
    """
    pieces = [piece for piece, _ in map(without_tag, result.pieces)]
    if text != "\n".join(pieces) or not any(map(is_file_note, pieces)):
        return text
    return "\n".join(piece for piece in pieces if not is_file_note(piece))


def bare_result(result: Result) -> tuple[str, str]:
    """Return the text of a result without a trailing id tag, and the id in the tag, if any."""
    text, name = without_tag(result.text)
    if name or not result.pieces or "[id " not in text:
        return text, name
    # File notes may follow the tag.
    pieces = [without_tag(piece) for piece in result.pieces]
    return "\n".join(piece for piece, _ in pieces), next((id for _, id in pieces if id), "")


def weigh(part: Part, counter: Counter) -> int:
    """The tokens of a part."""
    match part:
        case Call():
            return counter.count(part.tool) + counter.count(part.text)
        case Thinking():
            return counter.count(part.text) + part.hidden // 4
        case Attachment():
            return attachment_tokens(part.media_type, part.size)
        case Result():
            # A note in place of an attachment is counted by itself, as when the note was made.
            notes = [piece for piece in part.pieces if is_file_note(piece)]
            own = "\n".join(piece for piece in part.pieces if piece not in notes) if notes else part.text
            return weigh_result(own, counter) + sum(map(counter.count, notes))
        case Text() | Marker() | Opaque():
            return counter.count(part.text)


def weigh_result(text: str, counter: Counter) -> int:
    """Return the tokens of a result. An outline behind it is counted by itself, as when the outline was made."""
    return sum(map(counter.count, split_outlines(text)))
