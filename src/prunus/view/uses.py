"""Answered calls and other parts, each described once for everything that looks at a history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from prunus.calls.meaning import Meaning
from prunus.calls.results import CallOutcome
from prunus.calls.touches import Touch
from prunus.history import Attachment, Call, Marker, Opaque, Part, Ref, Result, Role, Text, Thinking
from prunus.notes import is_file_note, outlined, unfolded, unreminded, without_tag
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
    """Equal for the same tool with the same arguments, key order aside; empty if not comparable."""
    shown: bytes = b""
    """Equal for results with the same text, per-call noise aside."""
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
    """The result brings files or other things along, which its text does not tell apart."""

    ok: bool = field(init=False, repr=False, compare=False)
    """The call did not fail."""
    visible: bool = field(init=False, repr=False, compare=False)
    """The result still shows what the tool answered."""

    def __post_init__(self) -> None:
        # Every strategy looks at these, many times for each call.
        silent = self.meaning.kind == "read" and self.outcome == "unknown"
        hidden = self.stub or self.cut or self.compacted or self.shortened or self.folded or silent
        object.__setattr__(self, "ok", self.outcome != "error")
        object.__setattr__(self, "visible", not hidden)

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
    """What a message is made of, without its content."""

    role: Role
    definitions: bool
    """It carries tool definitions."""
    kinds: tuple[type[Part], ...]
    tokens: tuple[int, ...]
    """The tokens of each part as it came."""


def own_text(use: Use, result: Result) -> str:
    """Return the answer of a tool without everything that Prunus put behind it."""
    text = bare_result(result)[0] if use.name else unreminded(result.text)
    whole = without_file_notes(text, result)
    return unfolded(whole) if use.folded else whole


def without_file_notes(text: str, result: Result) -> str:
    """Return the text of a result without the notes that stand for its attachments.

    With an attachment or with its note, a result is then judged alike.
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
            # A note that stands for an attachment counts apart, as it did when it was put there.
            notes = [piece for piece in part.pieces if is_file_note(piece)]
            own = "\n".join(piece for piece in part.pieces if piece not in notes) if notes else part.text
            return weigh_result(own, counter) + sum(map(counter.count, notes))
        case Text() | Marker() | Opaque():
            return counter.count(part.text)


def weigh_result(text: str, counter: Counter) -> int:
    """The tokens of a result; an outline of what its call wrote counts apart, as it did when it was put there."""
    return sum(map(counter.count, outlined(text)))
