"""One changed message as the invariants see it."""

from __future__ import annotations

from dataclasses import dataclass

from prunus.history import Message

__all__ = ["Change"]


@dataclass(frozen=True, slots=True)
class Change:
    """A message before and after its edits.

    Messages that are not changed leave with the bytes they came with, so whatever a provider would newly refuse
    shows here.
    """

    format: str
    before: Message
    after: Message | None
    following: Message | None
    """The message behind one that goes."""
    open_loop: bool
    """The model is still in the tool loop that this message belongs to."""
    own: bool = False
    """Only words to and from Prunus itself are changed, which the model never had."""
