"""A history as its tool calls: each with its result, its meaning, its turn and how it ended.

The view reads each message once, so a request costs as much as is new in it.

A *turn* is one model step. A *loop* is what the model does between two messages of the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from prunus.calls.paths import normalise
from prunus.calls.toolbox import Toolbox
from prunus.clients.dialect import words
from prunus.history import (
    Attachment,
    Call,
    Marker,
    Message,
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
        """`declared` says that the client declares its tools, so that what they print does not come as words."""
        self._declared = declared
        self.words = words
        """Whose words the strategies leave behind."""
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
        """What each message is made of."""
        self.newest: dict[tuple[str, str], int] = {}
        """The newest answered call of each kind and key."""
        self.touched: dict[tuple[str, str], int] = {}
        """The newest successful call that read, wrote or edited each file."""
        self.first_changes: dict[int, int] = {}
        """The first successful call of each loop that changed a file."""
        self.folder = ""
        """The folder the agent works in, where its first messages name it."""
        self._pairing = Pairing(toolbox)
        self.ids: dict[str, Ref] = {}
        """The results, the reasoning and the texts of the assistant by their short names."""
        self.names: dict[Ref, str] = {}
        self.muted: set[int] = set()
        """Calls that may replace no others."""
        self._role: Role | None = None
        self.message: Callable[[int], Message] = _no_message
        """Gives a message of the request at hand by its index."""

    @property
    def colours(self) -> Colours:
        """What the coloured items of the newest todo list name."""
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
        """Whether what tools print comes as results, and so cannot pass for words of the user."""
        return self._declared or self._pairing.answered > 0

    def kind(self, ref: Ref) -> type[Part]:
        """The kind of a part, for which its message need not be at hand."""
        return self.shapes[ref.message].kinds[ref.part]

    def part(self, ref: Ref) -> Part:
        """A part of the request at hand."""
        return self.message(ref.message).parts[ref.part]

    def look_at(self, load: Callable[[int], Message] | None) -> None:
        """Take messages from this request from now on."""
        self.message = load or _no_message

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
        """Count a use among those that happened."""
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

    def changed_since(self, use: Use) -> bool:
        """Whether a successful call has changed a file of this call after it."""
        kinds = ("edit", "write", "change")
        return any(self.touched.get((kind, touch.path), -1) > use.index for touch in use.touches for kind in kinds)

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
        """Give a part its short name, or the one that it has."""
        id = known if known and known not in self.ids else short_id(ref, content, self.ids)
        self.ids[id], self.names[ref] = ref, id
        return id


def _no_message(index: int) -> Message:
    raise RuntimeError(f"no request is being looked at, so that message {index} is not at hand")
