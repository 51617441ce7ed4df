"""What a veil does, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from prunus.agent.calls import Site, calls_in_answer
from prunus.agent.sse import Event
from prunus.agent.withheld import Withheld, withhold
from prunus.splice import Path, splice

__all__ = ["Pieces", "Screen", "Veil", "changed_value"]


class Veil(Protocol):
    """Reads one answer."""

    def take(self, event: Event) -> list[Event]:
        """What the client gets for an event, or for a piece of an answer that does not stream."""

    def finish(self, tail: bytes) -> tuple[list[Event], bytes]:
        """The answer is over: what was held of it, and what is left of the bytes behind its last whole event."""


@dataclass(frozen=True, slots=True)
class Screen:
    """Takes the intent out of the calls of some tools, and has it remembered."""

    tools: Container[str]
    """Those that got the argument from us."""
    keep: Callable[[Site, Withheld], None]
    """Told of each: the call with the arguments that are left, and what was taken."""

    def text(self, id: str, tool: str, arguments: str) -> str:
        """Arguments as the client may see them."""
        found = withhold(arguments) if tool in self.tools else None
        if found is None:
            return arguments
        rest, withheld = found
        self.keep(Site((), id, tool, rest), withheld)
        return rest

    def answer(self, format: str, answer: Any) -> dict[Path, bytes]:
        """What changes in an answer that tells its calls whole, by place."""
        changes = {}
        for site in calls_in_answer(format, answer):
            if site.tool in self.tools:
                text = site.text
                shown = self.text(site.id, site.tool, text)
                if shown is not text:
                    changes[site.path] = site.written(shown)
        return changes


@dataclass(slots=True)
class Pieces:
    """The arguments of one call as they come."""

    id: str
    tool: str
    texts: list[str] = field(default_factory=list)

    def shown(self, screen: Screen) -> str:
        """All of them as the client may see them; they come out once."""
        text = "".join(self.texts)
        self.texts.clear()
        return screen.text(self.id, self.tool, text) if text else ""


def changed_value(value: Any, changes: Mapping[Path, bytes]) -> Any:
    """A JSON value with other values at some places."""
    return msgspec.json.decode(splice(msgspec.json.encode(value), changes)) if changes else value
