"""The one currency: an edit says what would change, by whom and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from prunus.history import Ref

__all__ = ["STAGES", "Added", "Edit", "Gone", "Input", "Keep", "Later", "Note", "Refusal", "Replacement", "Shorter"]

STAGES: Final = 4
"""How many edits a strategy may have for one part."""


@dataclass(frozen=True, slots=True)
class Note:
    """The whole part becomes these words, and what it carried goes with it."""

    text: str


@dataclass(frozen=True, slots=True)
class Shorter:
    """The text of the part becomes this; whatever else it carries stays."""

    text: str


@dataclass(frozen=True, slots=True)
class Added:
    """These words stand behind the text of the part; nothing of it goes."""

    text: str


@dataclass(frozen=True, slots=True)
class Input:
    """The arguments of a call become these."""

    value: Mapping[str, Any]
    left: str = ""
    """What is left of the others, in words behind the result."""
    result: Ref | None = None
    """Where those words stand."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The part is left out."""


@dataclass(frozen=True, slots=True)
class Keep:
    """The strategy takes back what it proposed for this part before; what the part points to, if it does, stays."""


@dataclass(frozen=True, slots=True)
class Later:
    """The strategy puts off what it proposed before, as far as its time has not come yet; its chance may be new."""


Replacement = Note | Shorter | Added | Input | Gone | Keep | Later


@dataclass(frozen=True, slots=True)
class Edit:
    """One change that a strategy proposes; nothing else ever changes a history."""

    target: Ref
    replacement: Replacement
    strategy: str
    reason: str
    by: Ref | None = None
    """The call that made the target dispensable."""
    ripe: int = 0
    """The turn from which it may be applied."""
    loop: int = 0
    """The loop from which it may be applied: how often the user has spoken."""
    shows: Ref | None = None
    """The part that the replacement points to, which must stay visible."""
    spends: bool = False
    """The whole call is over and done with, so its input may go too."""
    fresh: bool = False
    """It may be made before the part is sent for the first time, where no cache can be lost."""
    pressure: bool = False
    """Only worth it when the context runs short."""
    asked: bool = False
    """The agent or the user asked for it, so it does not wait for the schedule; with `fresh`, no guard is asked."""
    spares: frozenset[Ref] = frozenset()
    """Parts that may go because it shows what is still true of them; for their sake it may be longer."""
    bound: bool = False
    """It is only made along with an edit that spares its part."""
    chance: float = 0.0
    """How likely it is that what goes will be used again, so that it has to be read once more."""
    stage: int = 0
    """Of the edits of one strategy for one part, the one of the highest stage that may be made is made."""
    tokens_before: int = 0
    tokens_after: int = 0
    follows: str = field(default="", compare=False)
    """The strategy whose edit it goes along with, and under whose name it is counted."""

    @property
    def counted_as(self) -> str:
        """The strategy under which reports count it."""
        return self.follows or self.strategy

    @property
    def saved(self) -> int:
        return self.tokens_before - self.tokens_after

    @property
    def last(self) -> int:
        """The last message that it changes; a call may be answered otherwise once that is undone."""
        words = self.replacement.result if isinstance(self.replacement, Input) else None
        return max(self.target, words or self.target).message


@dataclass(frozen=True, slots=True)
class Refusal:
    """An edit that a guard did not allow."""

    edit: Edit
    guard: str
    reason: str
    until: int | None = None
    """The turn at which it may be asked again; None where the refusal lasts."""
