"""What an agent did in a run, from its transcript: how many calls it made, and how many reads were repeated.

A read is repeated if the same conversation has read those lines before and named no change of the file since. A
change by a command that does not name the file goes unnoticed, in both arms alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from prunus.ab.exchanges import RelayedExchange
from prunus.calls.paths import normalise
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Span
from prunus.errors import FormatError
from prunus.history import Call, History
from prunus.providers import read


@dataclass(frozen=True, slots=True)
class CallCounts:
    """The calls of a run."""

    calls: int = 0
    rereads: int = 0
    """Calls that read lines again that were read before and not changed since."""


@dataclass(slots=True)
class _Reading:
    """What one conversation has read so far."""

    calls: set[str] = field(default_factory=set)
    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    rereads: int = 0

    def take(self, call: Call, toolbox: Toolbox) -> None:
        """Note a call that is new."""
        self.calls.add(call.id)
        repeated = False
        for touch in toolbox.meaning(call.tool, call.input).touches:
            known = self.spans[normalise(touch.path)]
            if touch.kind != "read":
                known.clear()
            elif any(span.covers(touch.span) for span in known):
                repeated = True
            else:
                known.append(touch.span)
        self.rereads += repeated


def count_calls(exchanges: Iterable[RelayedExchange]) -> CallCounts:
    """The calls that the requests of a run show, each counted once, where it appears first."""
    toolbox = Toolbox()
    conversations: dict[str, _Reading] = defaultdict(_Reading)
    for exchange in exchanges:
        if exchange.usage is None:
            continue
        try:
            history = read(exchange.request.encode())
        except FormatError:
            continue
        reading = conversations[_opening(history)]
        for part in (part for message in history.messages for part in message.parts):
            if isinstance(part, Call) and part.id not in reading.calls:
                reading.take(part, toolbox)
    found = conversations.values()
    return CallCounts(sum(len(one.calls) for one in found), sum(one.rereads for one in found))


def _opening(history: History) -> str:
    """The first words of the user, which tell a conversation from those of sub-agents."""
    spoken = (message for message in history.messages if message.role == "user")
    return next((repr(message.parts) for message in spoken), "")
