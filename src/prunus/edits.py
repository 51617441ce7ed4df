"""Edits, which replace a part, and proposals: edits with everything that the engine needs to decide about them.

A strategy answers each event with moves. A `Proposal` offers an edit, a `Postpone` moves the time of an earlier
proposal, and a `Withdraw` takes one back. The engine makes at most one edit for each part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal

from prunus.history import Ref
from prunus.value import value

PREFERENCES: Final = 8
"""How many proposals a strategy may have for one part."""


@value
class Note:
    """This text replaces the whole part, together with everything that the part carried."""

    text: str


@value
class Shorter:
    """This text replaces the text of the part; everything else that the part carries stays."""

    text: str


@value
class Added:
    """This text is put behind the text of the part; nothing of the part goes."""

    text: str


@value
class Continued:
    """The part keeps its text, and this text continues it. The ids of the part stand behind both.

    A proposal need not repeat the text of its part this way. The edit that is made is a `Shorter` with both texts.
    """

    text: str


@value
class Outlined:
    """An outline of a result replaces its text. Only proposals hold it: the edit that is made is a `Shorter`.

    Most proposals are overtaken by others before they are due, so their outlines are never made.
    """

    share: float
    """How much of the text stays."""
    behind: str = ""
    """Words behind the outline."""


@value
class Input:
    """These arguments replace the arguments of a call."""

    value: Mapping[str, Any]
    left: str = ""
    """An outline of the removed arguments, shown behind the result of the call."""
    result: Ref | None = None
    """The result behind which the outline is shown."""


@value
class Gone:
    """The part is left out."""


Replacement = Note | Shorter | Added | Continued | Outlined | Input | Gone


@value
class Edit:
    """One change of one part. Only edits change a history."""

    target: Ref
    replacement: Replacement
    strategy: str
    reason: str
    tokens_before: int = 0
    tokens_after: int = 0
    follows: str = field(default="", compare=False)
    """The strategy whose edit this one accompanies; reports count both under that name."""

    @property
    def counted_as(self) -> str:
        """The strategy under which reports count the edit."""
        return self.follows or self.strategy

    @property
    def saved(self) -> int:
        return self.tokens_before - self.tokens_after

    @property
    def last_message(self) -> int:
        """The last message that the edit changes; if that message is undone, so is the edit."""
        outline_at = self.replacement.result if isinstance(self.replacement, Input) else None
        return max(self.target, outline_at or self.target).message


@value
class When:
    """When a proposal may be made. All conditions hold together."""

    from_turn: int = 0
    from_loop: int = 0
    """A loop is what the model does between two messages of the user."""
    before_first_send: bool = False
    """The edit may be made before the provider has seen the part, when no prompt cache can be lost."""
    under_pressure: bool = False
    """The edit is only worth making when the context runs short."""
    requested_by: Literal["agent", "user", "prunus"] | None = None
    """Who requested the edit. A requested edit does not wait for the schedule.

    "prunus" marks Prunus's own words, such as answers to commands. No guard checks those.
    """


NOW: Final = When()
OWN_WORDS: Final = When(before_first_send=True, requested_by="prunus")


@value
class Proposal(Edit):
    """An edit that a strategy offers: when it may be made, why, and what it depends on."""

    when: When = NOW
    cause: Ref | None = None
    """The call that made the target dispensable."""
    ends_call: bool = False
    """Nothing of the call is needed any more, so the arguments of the call may go too."""
    points_to: Ref | None = None
    """The part that the replacement refers to. That part must stay visible."""
    needs_cover: bool = False
    """The edit may only be made while another edit covers its target."""
    covers: frozenset[Ref] = frozenset()
    """Parts that may go because the replacement shows what is still true of them. So the replacement may be
    longer."""
    reuse: float = 0.0
    """The probability that the removed text will be used again and has to be read once more."""
    only_code: bool = False
    """The edit takes nothing but fenced code out of a text."""
    preference: int = 0
    """The engine makes the proposal with the highest preference among those of one strategy for one part."""


def as_proposal(edit: Edit) -> Proposal:
    """An edit that was made before, as the engine takes it back."""
    if isinstance(edit, Proposal):
        return edit
    parts = edit.target, edit.replacement, edit.strategy, edit.reason
    return Proposal(*parts, edit.tokens_before, edit.tokens_after, edit.follows)


@value
class Postpone:
    """A strategy moves the time of an earlier proposal, unless the proposal is due already."""

    target: Ref
    strategy: str
    from_turn: int
    reuse: float = 0.0
    """The new probability of reuse; 0 keeps the old one."""
    preference: int = 0


@value
class Withdraw:
    """A strategy takes back an earlier proposal."""

    target: Ref
    strategy: str
    points_to: Ref | None = None
    """The part that the target, a note of an earlier pass, refers to. That part must stay visible."""
    restored: bool = False
    """The agent or the user wants the target back, so only another request may cut it again."""


Move = Proposal | Postpone | Withdraw


@value
class Refusal:
    """An edit that a guard refused."""

    edit: Proposal
    guard: str
    reason: str
    until: int | None = None
    """The turn in which the guard checks the edit again; None if the refusal is final."""
