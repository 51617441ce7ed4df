"""A history as its tool calls: each with its result, its meaning, its turn and how it ended.

The view is built message by message and never looks at one twice, so a request costs what is new in it. Calls
and results are paired by place and id together, because some models count their ids anew in each turn.

A *turn* is one model step. A *loop* is what the model does between two messages of the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from prunus.calls import CallOutcome, Meaning, Span, Toolbox, Touch, is_cut, is_stub, outcome, process_of
from prunus.clients.dialect import words
from prunus.fingerprint import fingerprint
from prunus.history import Attachment, Call, Marker, Message, Opaque, Part, Ref, Result, Role, Text, Thinking
from prunus.ids import short_id
from prunus.notes import Words, is_note, outlined, pointed, uncounted, unfolded, unreminded
from prunus.numbers import as_number
from prunus.paths import join, normalise
from prunus.placed import PlacedIds, bare_result, content_of, shortened
from prunus.todos import Colour, Colours, colours_of, tasks_in
from prunus.tokens import Counter, attachment_tokens

_FOLDER = re.compile(rf"(?:{'|'.join(words('folder'))})((?:/|~/|[A-Za-z]:[\\/])[^\s<>\"'`]+)")
_NUMBERED = re.compile(r"^[^\S\n]*+(\d+)(?:→|\t|: |\| ?)", re.MULTILINE)
_CHANGES_DIRECTORY = re.compile(r"(?:^|[;&|(\n])[^\S\n]*(?:cd|pushd|popd|Set-Location)\b")


@dataclass(frozen=True, slots=True)
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
    carries: bool = False
    """The result brings files or other things along, which its text does not tell apart."""

    @property
    def ok(self) -> bool:
        return self.outcome != "error"

    @property
    def visible(self) -> bool:
        """Whether the result still shows what the tool answered."""
        silent = self.meaning.kind == "read" and self.outcome == "unknown"
        return not (self.stub or self.cut or self.compacted or self.shortened or self.folded or silent)

    def touched(self, path: str) -> Touch | None:
        """What it did to a file, if anything."""
        return next((touch for touch in self.touches if touch.path == path), None)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part that is no call and no result: text, thinking, an attachment, a marker."""

    ref: Ref
    part: Text | Thinking | Attachment | Marker
    role: Role
    turn: int
    loop: int


@dataclass(frozen=True, slots=True)
class Shape:
    """What a message is made of, without its content."""

    role: Role
    definitions: bool
    """It carries tool definitions."""
    kinds: tuple[type[Part], ...]
    tokens: tuple[int, ...]
    """The tokens of each part as it came."""


@dataclass(slots=True)
class _Open:
    ref: Ref
    call: Call
    turn: int


class View:
    """What is known of one conversation so far."""

    def __init__(
        self, toolbox: Toolbox, counter: Counter, *, declared: bool = True, words: Words = "prunus"
    ) -> None:
        """`declared` says that the client declares its tools, so that what they print does not come as words."""
        self._declared = declared
        self.words = words
        """Whose words the strategies leave behind."""
        self.toolbox = toolbox
        self.counter = counter
        self.uses: list[Use] = []
        self.by_ref: dict[Ref, Use] = {}
        self.turn = 0
        self.loop = 0
        self.tokens = 0
        self.turns: list[int] = []
        """The turn of each message."""
        self.loops: list[int] = []
        """The loop of each message."""
        self.shapes: list[Shape] = []
        """What each message is made of."""
        self.newest: dict[tuple[str, str], int] = {}
        """The newest answered call of each kind and key."""
        self.touched: dict[tuple[str, str], int] = {}
        """The newest successful call that read, wrote or edited each file."""
        self.folder = ""
        """The folder the agent works in, where its first messages name it."""
        self._placed = PlacedIds()
        self.ids: dict[str, Ref] = {}
        """The results, the reasoning and the texts of the assistant by their short names."""
        self.names: dict[Ref, str] = {}
        self.colours = Colours()
        """What the coloured items of the newest todo list name."""
        self.muted: set[int] = set()
        """Calls that may replace no others."""
        self._reading: set[str] = set()
        """Processes that print files and had not printed all when their call was answered."""
        self._epoch = 0
        self._answered = 0
        self._open: dict[str, list[_Open]] = {}
        self._role: Role | None = None
        self._load: Callable[[int], Message] | None = None

    def message(self, index: int) -> Message:
        """A message of the request at hand."""
        if self._load is None:
            raise RuntimeError("no request is being looked at")
        return self._load(index)

    def turn_of(self, ref: Ref) -> int:
        """The turn that a part belongs to."""
        use = self.by_ref.get(ref)
        return self.turns[ref.message] if use is None else use.turn

    def in_open_loop(self, ref: Ref) -> bool:
        """Whether a part is reasoning of the tool loop that is still open."""
        return self.loops[ref.message] >= self.loop and isinstance(self.part(ref), Thinking)

    @property
    def apart(self) -> bool:
        """Whether what tools print comes as results, and so cannot pass for words of the user."""
        return self._declared or self._answered > 0

    def part(self, ref: Ref) -> Part:
        """A part of the request at hand."""
        return self.message(ref.message).parts[ref.part]

    def look_at(self, load: Callable[[int], Message] | None) -> None:
        """Take messages from this request from now on."""
        self._load = load

    def extend(self, message: Message) -> list[Use | Piece]:
        """Take in the next message: what has been answered by it, and what it brings."""
        index = len(self.turns)
        if message.role == "assistant" and not (message.joins and self._role == "assistant"):
            self.turn += 1
        elif message.spoken and message.role == "user":
            self.loop += 1
        self._role = message.role
        events: list[Use | Piece] = []
        steps = 0
        weights: list[int] = []
        inside = {part.inside for part in message.parts if isinstance(part, Attachment | Opaque)}
        for i, part in enumerate(message.parts):
            ref = Ref(index, i)
            tokens = weigh(part, self.counter)
            self.tokens += tokens
            weights.append(tokens)
            match part:
                case Call():
                    self._note_call(ref, part)
                case Result():
                    use = self._answer(ref, part, tokens, carries=i in inside)
                    if use is not None:
                        events.append(use)
                case Opaque():
                    pass
                case _:
                    if isinstance(part, Marker) and part.type == "step-start":
                        # Such markers stand between several model steps in one message.
                        steps += 1
                        self.turn += steps > 1
                    if isinstance(part, Text) and not self.folder and not self.turn:
                        found = _FOLDER.search(part.text)
                        self.folder = normalise(found[1]) if found else ""
                    events.append(Piece(ref, part, message.role, self.turn, self.loop))
        self.turns.append(self.turn)
        self.loops.append(self.loop)
        kinds = tuple(type(part) for part in message.parts)
        self.shapes.append(Shape(message.role, bool(message.definitions), kinds, tuple(weights)))
        return events

    def admit(self, use: Use) -> None:
        """Count a use among those that happened."""
        self.uses.append(use)
        self.by_ref[use.call] = self.by_ref[use.result] = use
        if use.ok:
            for touch in use.touches:
                self.touched[touch.kind, touch.path] = use.index
        if use.meaning.key:
            self.newest[use.meaning.kind, use.meaning.key] = use.index

    def colour_of(self, ref: Ref) -> Colour | None:
        """The colour of the item in the newest todo list that names a part, if one does."""
        if not self.colours:
            return None
        use = self.by_ref.get(ref)
        if use is None:
            return self.colours.of(self.names.get(ref, ""), (), getattr(self.part(ref), "text", ""))
        if use.meaning.kind == "todo":
            return None
        places = ((touch.path, touch.span.start, touch.span.end) for touch in use.touches)
        return self.colours.of(self.names.get(use.result, ""), places, getattr(self.part(ref), "text", ""))

    def name(self, ref: Ref, content: bytes, known: str = "") -> str:
        """Give a part its short name, or the one that it has."""
        id = known if known and known not in self.ids else short_id(ref, content, self.ids)
        self.ids[id], self.names[ref] = ref, id
        return id

    def _note_call(self, ref: Ref, call: Call) -> None:
        waiting = self._open.setdefault(call.id, [])
        if waiting and waiting[-1].turn != self.turn:
            waiting.clear()
        waiting.append(_Open(ref, call, self.turn))

    def _answer(self, ref: Ref, result: Result, tokens: int, *, carries: bool) -> Use | None:
        waiting = self._open.get(result.id)
        if not waiting or result.open:
            return None
        opened = waiting.pop(0)
        if not waiting:
            del self._open[result.id]
        self._answered += 1
        call = opened.call
        whole, name = self._placed.untagged(ref, call.tool, result, self.ids)
        text = unfolded(whole)
        meaning = self._continued(self.toolbox.meaning(call.tool, call.input), call, text)
        ended = outcome(meaning, call.tool, uncounted(text), result.error)
        if meaning.key == "todo:write" and ended != "error":
            self.colours = colours_of(tasks_in(call.input))
        stub = is_stub(text)
        stripped = (
            meaning.kind in ("write", "edit", "task")
            and isinstance(call.input, Mapping)
            and bool(call.input)
            and set(call.input) <= set(meaning.metadata)
        )
        return Use(
            self._answered - 1,
            opened.ref,
            ref,
            call.tool,
            meaning,
            ended,
            opened.turn,
            _shown(self._rooted(meaning.touches), text),
            b"" if stripped else _signature(call.tool, call.input),
            content_of(call.tool, text),
            len(whole),
            tokens,
            weigh(call, self.counter),
            stub,
            is_note(text),
            result.compacted,
            result.defines,
            shortened(text, result),
            stripped,
            self._enter(meaning),
            name,
            text != whole,
            pointed(text),
            carries,
        )

    def _continued(self, meaning: Meaning, call: Call, text: str) -> Meaning:
        """What a call means that asks a running command for its output: a read, if that command reads.

        Which lines of which files the piece shows is not known, so it touches none.
        """
        if meaning.kind == "read" and meaning.command:
            if process := process_of(None, text):
                self._reading.add(process)
        elif meaning.kind == "shell" and not meaning.command and process_of(call.input, text) in self._reading:
            return replace(meaning, kind="read")
        return meaning

    def _rooted(self, touches: tuple[Touch, ...]) -> tuple[Touch, ...]:
        """The touches with relative paths seen from the folder that the agent said it works in."""
        if not self.folder:
            return touches
        return tuple(replace(touch, path=join(self.folder, touch.path)) for touch in touches)

    def _enter(self, meaning: Meaning) -> int:
        """The epoch of a command. Some agents keep one shell, where a `cd` changes what `ls` means."""
        if not meaning.command:
            return 0
        epoch = self._epoch
        self._epoch += _CHANGES_DIRECTORY.search(meaning.command) is not None
        return epoch


def own_text(use: Use, result: Result) -> str:
    """What a tool answered, without all that Prunus put behind it."""
    return unfolded(bare_result(result)[0] if use.name else unreminded(result.text))


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
            return weigh_result(part.text, counter)
        case Text() | Marker() | Opaque():
            return counter.count(part.text)


def weigh_result(text: str, counter: Counter) -> int:
    """The tokens of a result; an outline of what its call wrote counts apart, as it did when it was put there."""
    return sum(map(counter.count, outlined(text)))


def _signature(tool: str, given: Mapping[str, Any] | str) -> bytes:
    plain = given.encode() if isinstance(given, str) else msgspec.json.encode(given, order="deterministic")
    return fingerprint(tool.encode() + b"\0" + plain)


def _shown(touches: tuple[Touch, ...], text: str) -> tuple[Touch, ...]:
    """The touches of a call, a whole-file read narrowed to the lines that came back.

    Tools stop after some thousand lines and say so; such a view does not cover the rest of the file.
    """
    if len(touches) != 1:
        return touches
    touch = touches[0]
    if touch.kind != "read" or touch.span.end is not None or touch.span.start < 0:
        return touches
    if not is_cut(text):
        return touches
    numbers = [as_number(found) for found in _NUMBERED.findall(text[-1500:])]
    # Without line numbers nothing tells how far it came, so it covers nothing but itself.
    end = max(numbers) if numbers else touch.span.start
    return (replace(touch, span=Span(touch.span.start, end)),)
