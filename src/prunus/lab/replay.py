"""One conversation through one policy, request by request.

What a prompt cache could read is the longest beginning that a request shares with the one before, part by part;
sharing inside the first part that differs is not counted. Providers find less: Anthropic looks back 20 blocks from
a breakpoint only, and a cache can be evicted early. They may also find more, in a request further back.
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
    """Tokens that the request before began with too."""
    broken: int
    """Tokens of the request before that this one does not continue."""
    gap: float | None
    """Seconds since the request before; None where the recording does not tell."""
    declared: str = ""
    """Why the policy says it broke the prefix, if it does."""
    valid: bool = True
    """Whether it holds the calls and results that the agent's request held, in order."""


@dataclass(frozen=True, slots=True)
class Replay:
    """All requests of a conversation under one policy."""

    policy: str
    requests: tuple[Sent, ...]

    def since(self, request: int) -> Replay:
        """The same without earlier requests."""
        return replace(self, requests=self.requests[request:]) if request else self


def replay(session: Session, policy: Policy, reader: Reader | None = None) -> Replay:
    """Send each recorded request through the policy.

    A reader that is shared by several replays of the same conversation makes equal parts cost nothing.
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
    """One request after another: `around` tokens beside its messages, the `same` ones as before or not."""
    cached = around + _shared(last.sheets, sheets) if last is not None and same else 0
    tokens = around + sum(sheet.tokens for sheet in sheets)
    return Sent(sheets, tokens, cached, last.tokens - cached if last is not None else 0, gap, declared, valid)


def _shared(before: Sequence[Sheet], after: Sequence[Sheet]) -> int:
    """The tokens that two requests begin with alike."""
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
