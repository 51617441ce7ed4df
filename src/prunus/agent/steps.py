"""A request cut into steps: what the model said in one go, and what came back before it spoke again.

What the client does not know of a step is found by the link before it and concerns no other step. So a step that
is over is put together once, and later requests of its conversation take it over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from prunus.agent.belonging import behind
from prunus.agent.spoken import by_model
from prunus.providers import Frame
from prunus.surrogates import decode

__all__ = ["Saying", "Step", "steps_from"]


@dataclass(frozen=True, slots=True)
class Saying:
    """One message of a step."""

    raw: bytes
    value: dict[str, Any] | None
    """None where it cannot be read."""
    model: bool
    """Whether the model said it."""


@dataclass(frozen=True, slots=True)
class Step:
    """Some messages of a request that follow each other."""

    start: int
    end: int
    before: bytes
    """The link before it."""
    after: bytes
    """The link behind it."""
    answered: bool = True
    """Whether something came behind the words of the model, or it has not spoken at all."""
    written: bytes | None = None
    """Its messages with what the client does not know; None where that is nothing."""

    @property
    def next(self) -> bytes:
        """The link before what the model says next; what it goes on to say belongs to what it has said."""
        return self.after if self.answered else self.before


def steps_from(cut: Frame, start: int, link: bytes) -> Iterator[tuple[Step, Sequence[Saying]]]:
    """The steps of a body from the first message of one on, given the link before it, and what they hold."""
    name = cut.format.name
    before, first = link, start
    held: list[Saying] = []
    spoken = start > 0
    for index in range(start, len(cut)):
        saying = _saying(name, cut.raw(index))
        if saying.model and held and not held[-1].model:
            yield Step(first, index, before, link), held
            before, first, held = link, index, []
        link = behind(link, name, saying.value, saying.raw, model=saying.model, first=not spoken)
        spoken = spoken or saying.model
        held.append(saying)
    if held:
        yield Step(first, len(cut), before, link, not held[-1].model), held


def _saying(format: str, raw: bytes) -> Saying:
    try:
        value = decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return Saying(raw, None, model=False)
    return Saying(raw, value, by_model(format, value))
