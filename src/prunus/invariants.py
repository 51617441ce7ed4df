"""The rules of the providers that every changed message must satisfy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from prunus.errors import InvariantError
from prunus.history import Call, Message, Opaque, Part, Result, Text, Thinking
from prunus.providers import provider_named
from prunus.value import value


@value
class ChangedMessage:
    """A message before and after its edits.

    Unchanged messages keep their bytes, so only a changed message can break a rule of the provider.
    """

    format: str
    before: Message
    after: Message | None
    following: Message | None
    """The message behind one that is removed."""
    open_loop: bool
    """The model is still in the tool loop that this message belongs to."""
    own: bool = False
    """Only text to and from Prunus itself is changed, which the model never saw."""


def pairs(change: ChangedMessage) -> str | None:
    """Every call keeps its one result: no call and no result appears or disappears."""
    if _ids(change.before) != _ids(change.after):
        return "a call or a result has lost its partner"
    return None


def _ids(message: Message | None) -> list[tuple[str, str]]:
    if message is None:
        return []
    found = [(type(part).__name__, part.id) for part in message.parts if isinstance(part, Call | Result)]
    return sorted(found)


def batches(change: ChangedMessage) -> str | None:
    """Calls that were made together stay together, each with its tool."""
    if _tools(change.before) != _tools(change.after):
        return "a batch of parallel calls was broken"
    return None


def _tools(message: Message | None) -> list[str]:
    return [part.tool for part in message.parts if isinstance(part, Call)] if message else []


def order(change: ChangedMessage) -> str | None:
    """Results keep their order, and stand before other text in their message."""
    if change.after is not None and _order(change.before) != _order(change.after):
        return "the order of results has changed"
    return None


def _order(message: Message) -> list[str]:
    return [part.id for part in message.parts if isinstance(part, Result)]


def roles(change: ChangedMessage) -> str | None:
    """A message keeps its role; only reasoning and text to Prunus itself may be removed as a whole message."""
    if change.after is None:
        parts = change.before.parts
        joined = change.before.joins and all(isinstance(part, Thinking) for part in parts)
        return None if joined or change.own else "a message other than reasoning was left out"
    return None if change.after.role == change.before.role else "a message has changed its role"


def non_empty(change: ChangedMessage) -> str | None:
    """No message is left without content, and no text is left empty."""
    if change.after is None:
        return None
    said = [part for part in change.before.parts if not isinstance(part, Thinking)]
    left = [part for part in change.after.parts if not isinstance(part, Thinking)]
    if (said and not left) or (change.before.parts and not change.after.parts):
        return "a message was left empty"
    for part in change.after.parts:
        if isinstance(part, Text) and not part.text and part not in change.before.parts:
            return "a text was left empty"
    return None


def thinking(change: ChangedMessage) -> str | None:
    """A signed block is removed whole or stays unchanged; required reasoning and that of the current loop stays."""
    before = [part for part in change.before.parts if isinstance(part, Thinking)]
    after = [] if change.after is None else [part for part in change.after.parts if isinstance(part, Thinking)]
    if before == after:
        return None
    if change.open_loop:
        return "reasoning of the open tool loop was changed"
    if any(part.required for part in before):
        kept = [part for part in after if part.required]
        if len(kept) != sum(part.required for part in before) or not all(part.text for part in kept):
            return "reasoning that the provider requires is missing or empty"
        return None
    if any(part not in before for part in after):
        return "a reasoning block was altered"
    return None


def gemini_signatures(change: ChangedMessage) -> str | None:
    """Parts with a thought signature stay as they were signed."""
    if change.after is not None and _signed(change.before) != _signed(change.after):
        return "a signed part was changed"
    return None


def _signed(message: Message) -> list[Part]:
    return [part for part in message.parts if isinstance(part, Call | Thinking) and part.fixed]


def responses_reasoning(change: ChangedMessage) -> str | None:
    """A reasoning item stays if a call stands right behind it, or if it has an id that the next item needs.

    Items that Prunus does not read are calls too: of the provider's tools, or references to calls.
    """
    if change.after is not None or not provider_named(change.format).binds_reasoning:
        return None
    if any(isinstance(part, Thinking) and part.fixed for part in change.before.parts):
        return "reasoning with an id was left out"
    if change.following and any(isinstance(part, Call | Opaque) for part in change.following.parts):
        return "the reasoning of a call was left out"
    return None


ALL: Final[tuple[Callable[[ChangedMessage], str | None], ...]] = (
    pairs,
    batches,
    order,
    roles,
    non_empty,
    thinking,
    gemini_signatures,
    responses_reasoning,
)


def check(change: ChangedMessage) -> None:
    """Raise if the provider would refuse the changed message."""
    for invariant in ALL:
        problem = invariant(change)
        if problem is not None:
            raise InvariantError(f"{invariant.__name__}: {problem}")
