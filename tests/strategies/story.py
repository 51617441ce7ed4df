"""A small history in words of no provider: what the user said, and what the model did turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Answer", "Event", "File", "Item", "Said", "Step", "Story", "Thought", "Tool", "Turn", "User"]


@dataclass(frozen=True, slots=True)
class File:
    """An attachment; of size 0 if only its address travels."""

    name: str
    kilobytes: int
    image: bool = False
    note: str = ""
    """What stands in its place once it has been pruned."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered."""

    text: str
    error: bool = False
    state: Literal["done", "running", "compacted"] = "done"
    files: tuple[File, ...] = ()
    noted: bool = False
    """The text is a note that took the place of everything."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A call; `kind` and `given` are neutral, and spelled differently by each agent."""

    label: str
    kind: str
    given: Mapping[str, Any]
    answer: Answer | None
    name: str = ""
    """The real name, where the case names it itself."""
    keeps: tuple[str, ...] | None = None
    """The arguments that are left after pruning; None for all."""


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning of the model."""

    label: str
    text: str
    bound: bool = False
    """Signed or numbered so that it cannot leave its place."""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the model."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """OpenCode's step-start and step-finish."""

    label: str
    type: str
    gone: bool = False


Item = Tool | Thought | Said | Step


@dataclass(frozen=True, slots=True)
class User:
    """A message of the user; users are counted from 1."""

    number: int
    text: str
    files: tuple[File, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the model, with the answers to its calls."""

    number: int
    items: tuple[Item, ...]

    def calls(self) -> Iterator[tuple[int, Tool]]:
        """The calls with their places among the items."""
        return ((i, item) for i, item in enumerate(self.items) if isinstance(item, Tool))


Event = User | Turn


@dataclass(frozen=True, slots=True)
class Story:
    """All of it, in order."""

    events: tuple[Event, ...]
    repeated_ids: bool = False
    """The ids of the calls are counted anew in each turn."""
