"""A history as its tool calls: each with its result, its meaning, its turn and how it ended.

The view reads each message once, so a request costs as much as is new in it.

A *turn* is one model step. A *loop* is what the model does between two messages of the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from prunus.calls.paths import normalise
from prunus.calls.toolbox import Toolbox
from prunus.clients.dialect import words
from prunus.history import (
    Attachment,
    Call,
    Marker,
    Message,
    MessageAt,
    Opaque,
    Part,
    Ref,
    Result,
    Role,
    Text,
    Thinking,
    short_id,
)
from prunus.notes import Words
from prunus.tokens import Counter
from prunus.view.pairing import Pairing
from prunus.view.todos import Colour, Colours
from prunus.view.uses import Piece, Shape, Use, weigh

_FOLDER = re.compile(rf"(?:{'|'.join(words('folder'))})((?:/|~/|[A-Za-z]:[\\/])[^\s<>\"'`]+)")

CHANGES: Final = ("edit", "write", "change")
"""The kinds of touches that change a file."""


class View:
    """The state of one conversation so far: its messages, its answered calls, and their order."""

    def __init__(
        self,
        toolbox: Toolbox,
        counter: Counter,
        *,
        declared: bool = True,
        words: Words = "prunus",
        offsets: Mapping[str, float] | None = None,
    ) -> None:
        """`declared` says that the request declares its tools, so that their output comes as results."""
        self._declared = declared
        self.words = words
        """Whose wording the notes of strategies have."""
        self._offsets = offsets or {}
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
        """The roles, kinds and tokens of each message, without its content."""
        self.newest: dict[tuple[str, str], int] = {}
        """The newest answered call of each kind and key."""
        self.touched: dict[tuple[str, str], int] = {}
        """The newest successful call that read, wrote or edited each file."""
        self.first_changes: dict[int, int] = {}
        """The first successful call of each loop that changed a file."""
        self.folder = ""
        """The folder that the agent works in, if its first messages name it; else empty."""
        self._pairing = Pairing(toolbox)
        self.ids: dict[str, Ref] = {}
        """The results, the files, the reasoning and the texts of the assistant by their short ids."""
        self.names: dict[Ref, str] = {}
        self.muted: set[int] = set()
        """The indices of calls that may replace no other calls."""
        self._role: Role | None = None
        self.message: MessageAt = _no_message
        """Returns a message of the current request by its index."""

    @property
    def colours(self) -> Colours:
        """The content that the coloured items of the newest todo list name."""
        return self._pairing.colours

    def turn_of(self, ref: Ref) -> int:
        """The turn that a part belongs to."""
        use = self.by_ref.get(ref)
        return self.turns[ref.message] if use is None else use.turn

    def in_open_loop(self, ref: Ref) -> bool:
        """Whether a part is reasoning of the tool loop that is still open."""
        return self.loops[ref.message] >= self.loop and self.kind(ref) is Thinking

    @property
    def apart(self) -> bool:
        """Whether the output of tools comes as results, so that a message of the user was really typed."""
        return self._declared or self._pairing.answered > 0

    def kind(self, ref: Ref) -> type[Part]:
        """Return the kind of a part, even if its message is not loaded."""
        return self.shapes[ref.message].kinds[ref.part]

    def part(self, ref: Ref) -> Part:
        """Return a part of the current request."""
        return self.message(ref.message).parts[ref.part]

    def call(self, use: Use) -> Call:
        """Return the call of an answered call, with its arguments."""
        part = self.part(use.call)
        assert isinstance(part, Call)
        return part

    def result(self, use: Use) -> Result:
        """Return the result of an answered call, with its text."""
        part = self.part(use.result)
        assert isinstance(part, Result)
        return part

    def carrier(self, ref: Ref) -> Ref | None:
        """Return the result that an attachment is inside of; None for any other part."""
        if self.kind(ref) is not Attachment:
            return None
        part = self.part(ref)
        inside = part.inside if isinstance(part, Attachment) else None
        return None if inside is None else Ref(ref.message, inside)

    def look_at(self, load: MessageAt | None) -> None:
        """Load messages from this request from now on; from none if `load` is None."""
        self.message = load or _no_message

    def extend(self, message: Message) -> list[Use | Piece]:
        """Read the next message, and return its events: the calls that it answers, and its other parts."""
        index = len(self.turns)
        if message.role == "assistant" and not (message.joins and self._role == "assistant"):
            self.turn += 1
        elif message.spoken and message.role == "user":
            self.loop += 1
        self._role = message.role
        events: list[Use | Piece] = []
        steps = 0
        weights: list[int] = []
        inside = {part.inside for part in message.parts if isinstance(part, (Attachment, Opaque))}
        for i, part in enumerate(message.parts):
            ref = Ref(index, i)
            tokens = weigh(part, self.counter)
            self.tokens += tokens
            weights.append(tokens)
            match part:
                case Call():
                    self._pairing.call(ref, part, self.turn, tokens)
                case Result():
                    use = self._pairing.result(ref, part, tokens, self.ids, self.folder, carries=i in inside)
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
        """Add an answered call to the calls of the conversation."""
        self.uses.append(use)
        self.by_ref[use.call] = self.by_ref[use.result] = use
        if use.ok:
            for touch in use.touches:
                self.touched[touch.kind, touch.path] = use.index
                if touch.kind != "read":
                    self.first_changes.setdefault(self.loops[use.call.message], use.index)
        if use.meaning.key:
            self.newest[use.meaning.kind, use.meaning.key] = use.index

    def offset(self, kind: str) -> float:
        """How much more often the agent uses parts of a kind again than others do, in log-odds."""
        return self._offsets.get(kind, 0.0)

    def newest_touch(self, path: str, kinds: Iterable[str] = CHANGES) -> int:
        """Return the index of the newest successful call that touched a file in one of these ways; -1 for none."""
        newest = -1
        for kind in kinds:
            index = self.touched.get((kind, path), -1)
            if index > newest:
                newest = index
        return newest

    def changed_since(self, use: Use) -> bool:
        """Whether a successful call has changed a file of this call after it."""
        return any(self.newest_touch(touch.path) > use.index for touch in use.touches)

    def is_newest(self, use: Use) -> bool:
        """Whether no later call has the same kind and the same key."""
        return self.newest.get((use.meaning.kind, use.meaning.key)) == use.index

    def after_change(self, use: Use) -> bool:
        """Whether the agent had changed a file in its loop before this call."""
        first = self.first_changes.get(self.loops[use.call.message])
        return first is not None and first < use.index

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
        """Give a part its short id, and return it: the id `known` if it is free, else a new one."""
        id = known if known and known not in self.ids else short_id(ref, content, self.ids)
        self.ids[id], self.names[ref] = ref, id
        return id


def _no_message(index: int) -> Message:
    raise RuntimeError(f"message {index} cannot be loaded: no request is being looked at")
