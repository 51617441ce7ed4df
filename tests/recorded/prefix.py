"""A recorded session sent through a pruner, request by request, and what each request did to the one before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from prunus import Outcome, Pruner, Settings
from prunus.clients.sessions import Session
from prunus.providers import frame

__all__ = ["ROWS", "Sent", "replayed", "settings", "wrong"]

ROWS: Final = {
    "0.1/1.25": (0.1, 1.25, 300),
    "0.025/1.25": (0.025, 1.25, 300),
    "0.5/1.0": (0.5, 1.0, 300),
    "0.1/2.0": (0.1, 2.0, 3600),
}
"""Price rows: read and write, relative to uncached input, and the seconds that a cache lives.

The schedule only looks at what a read is worth against a write, so 0.02/1.0 would repeat 0.025/1.25.
"""

_GAP: Final = 20.0
"""Seconds between two requests whose time was not recorded."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as it left."""

    outcome: Outcome
    messages: tuple[bytes, ...]
    given: int
    """How many messages came in."""
    gone: frozenset[int]
    """Those of them that were left out as a whole."""
    conversations: int
    """How many the pruner knows."""

    def left(self, count: int) -> int:
        """How many of the first messages that came in are there still."""
        return count - sum(index < count for index in self.gone)


def settings(row: str, preset: str = "auto", schedule: str = "cache") -> Settings:
    """A preset that is told its price."""
    read, write, ttl = ROWS[row]
    return Settings(
        preset=preset, schedule=schedule, prices=[{"model": "*", "read": read, "write": write, "ttl": ttl}]
    )


def replayed(sessions: Iterable[Session], pruner: Pruner, *, moving: bool = False) -> list[list[Sent]]:
    """Each session's requests, through one pruner, as bytes; `moving` gives them cache markers that move along."""
    clock = 0.0
    sent: list[list[Sent]] = []
    for session in sessions:
        sent.append([])
        for number, time in enumerate(session.times):
            clock = max(clock + _GAP, time or 0.0)
            body = session.body(number)
            raw = msgspec.json.encode(_marked(body) if moving else body)
            outcome = pruner.prune(raw, now=clock, format=session.format)
            if outcome.error is not None:
                raise AssertionError(f"{session.name}, request {number}: {outcome.error}")
            held = pruner._conversations[-1]
            gone = frozenset(index for index, edited in held.engine.rendering.rendered.items() if not edited)
            cut = frame(outcome.body, session.format)
            messages = tuple(cut.raw(index) for index in range(len(cut)))
            sent[-1].append(Sent(outcome, messages, len(held.last), gone, len(pruner._conversations)))
    return sent


def wrong(before: Sent, after: Sent, *, moving: bool = False) -> str:
    """What a request changed in the one before it without saying so; empty if nothing."""
    flush = after.outcome.flush
    limit = before.given if flush is None else flush.cut
    if limit > before.given:
        return f"a flush from message {limit} on, of which only {before.given} were sent"
    if before.left(limit) != after.left(limit):
        return f"of the first {limit} messages {before.left(limit)} were sent, and {after.left(limit)} now"
    plain = _unmarked if moving else bytes
    pairs = zip(before.messages[: before.left(limit)], after.messages, strict=False)
    changed = [i for i, (old, new) in enumerate(pairs) if old != new and plain(old) != plain(new)]
    return f"messages {changed} changed in front of {limit}" if changed else ""


def _marked(body: Any) -> Any:
    """An Anthropic body with a cache breakpoint on each of the last two messages of the user, as clients set it."""
    copy = {**body, "messages": list(body["messages"])}
    turns = [i for i, message in enumerate(copy["messages"]) if message["role"] == "user"]
    for index in turns[-2:]:
        message = deepcopy(copy["messages"][index])
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]
        message["content"][-1]["cache_control"] = {"type": "ephemeral"}
        copy["messages"][index] = message
    return copy


def _unmarked(raw: bytes) -> Any:
    """A message without its cache markers, and with the block that plain text would be."""
    message = json.loads(raw)
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    bare = [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]
    return {**message, "content": bare}
