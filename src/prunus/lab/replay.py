"""Replay one conversation through one policy, request by request.

The lab assumes that a prompt cache holds the longest prefix of whole parts that a request shares with the request
before. Real providers may find less: Anthropic looks back only 20 blocks from a breakpoint, and may evict a cache
entry early. They may also find more, in an earlier request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from prunus.clients.sessions import Session
from prunus.lab.policy import Policy
from prunus.lab.reading import Reader, Sheet
from prunus.providers import provider_named


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as the policy sent it."""

    sheets: tuple[Sheet, ...]
    tokens: int
    cached: int
    """The tokens of the prefix shared with the request before."""
    broken: int
    """The tokens of the request before that are not in the shared prefix."""
    gap: float | None
    """Seconds since the request before; None if the recording does not say."""
    declared: str = ""
    """The policy's reason for breaking the prefix; empty if it gives none."""
    valid: bool = True
    """Whether it contains the calls and results of the agent's request, in the same order."""


@dataclass(frozen=True, slots=True)
class Replay:
    """All requests of a conversation under one policy."""

    policy: str
    requests: tuple[Sent, ...]

    def since(self, request: int) -> Replay:
        """Return the replay without the requests before this one."""
        return replace(self, requests=self.requests[request:]) if request else self


def replay(session: Session, policy: Policy, reader: Reader | None = None) -> Replay:
    """Send each recorded request through the policy.

    Several replays of one conversation may share a reader, which then reads equal parts only once.
    """
    format = provider_named(session.format)
    reader = reader or Reader(format)
    ask = policy.start()
    frame = session.body()
    given = [reader.sheet(message).pairs for message in session.messages]
    sent: list[Sent] = []
    clock = 0.0
    before: float | None = None
    around: Any = None
    around_tokens = 0
    for end, time in zip(session.requests, session.times, strict=True):
        clock = max(clock, time or 0.0)
        messages = list(session.messages[:end])
        body = {**frame, format.field: messages} if isinstance(frame, dict) else messages
        out = ask(body, clock)
        listed: list[Any] = out[format.field] if isinstance(out, dict) else out
        beside = {key: value for key, value in out.items() if key != format.field} if isinstance(out, dict) else {}
        same = bool(sent) and beside == around
        if not same:
            around, around_tokens = beside, reader.count(beside)
        sheets = tuple(map(reader.sheet, listed))
        valid = [sheet.pairs for sheet in sheets if sheet.pairs] == [pairs for pairs in given[:end] if pairs]
        gap = None if time is None or before is None else time - before
        last = sent[-1] if sent else None
        sent.append(send(last, sheets, around_tokens, gap, same=same, declared=ask.declared, valid=valid))
        before = time
    return Replay(policy.name, tuple(sent))


def send(
    last: Sent | None,
    sheets: tuple[Sheet, ...],
    around: int,
    gap: float | None,
    *,
    same: bool = True,
    declared: str = "",
    valid: bool = True,
) -> Sent:
    """Return the next request after `last`.

    `around` is the number of tokens outside its messages; `same` says whether that content equals the last one's.
    """
    cached = around + _shared(last.sheets, sheets) if last is not None and same else 0
    tokens = around + sum(sheet.tokens for sheet in sheets)
    return Sent(sheets, tokens, cached, last.tokens - cached if last is not None else 0, gap, declared, valid)


def _shared(before: Sequence[Sheet], after: Sequence[Sheet]) -> int:
    """Return the tokens of the common prefix of two requests."""
    tokens = 0
    for old, new in zip(before, after, strict=False):
        if old is not new and old.numbers != new.numbers:
            for left, right in zip(old.forms, new.forms, strict=False):
                if left.number != right.number:
                    break
                tokens += left.tokens
            break
        tokens += new.tokens
    return tokens
