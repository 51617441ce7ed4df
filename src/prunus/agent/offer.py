"""The tools of a request as the model is offered them: the hidden ones, and the intent of edits."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from prunus.agent.exchange import items_of
from prunus.agent.schema import with_tools
from prunus.agent.wires import wire_of
from prunus.calls import Toolbox
from prunus.intent import names_offered, offer_intent
from prunus.settings.tables import Agent
from prunus.surrogates import decode

__all__ = ["Offer", "offer"]


class Offer(NamedTuple):
    """What a model is offered."""

    tools: bytes | None
    """None where they are what the client offers."""
    edits: frozenset[str]
    """The tools that got an intent from us."""
    hides: bool
    """Whether the hidden tools are among them."""


def offer(toolbox: Toolbox, agent: Agent, tools: bytes | None, format: str, *, pieces: bool) -> Offer:
    """What is offered for the tools of a request; `pieces` says that Gemini streams arguments piece by piece."""
    new, edits = tools, frozenset[str]()
    if agent.intent and tools is not None and not pieces:
        new, edits = _with_intent(tools, toolbox)
    more = None
    if agent.offer == "hidden" and wire_of(format, streaming=True) is not None:
        more = with_tools(b"[]" if new is None else new, format)
    final = new if more is None else more
    return Offer(None if final is tools else final, edits, more is not None)


def _with_intent(tools: bytes, toolbox: Toolbox) -> tuple[bytes, frozenset[str]]:
    """The tools with the argument, and the names of those that got it; others keep their bytes."""
    raws = items_of(tools) or []
    new = list(raws)
    names: set[str] = set()
    for at, raw in enumerate(raws):
        try:
            before = [decode(raw)]
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue
        after = offer_intent(before, toolbox)
        if after is not before:
            new[at] = msgspec.Raw(msgspec.json.encode(after[0]))
            names |= names_offered(before, after)
    return (msgspec.json.encode(new), frozenset(names)) if names else (tools, frozenset())
