"""Replay one conversation through one policy, request by request.

The lab assumes that a prompt cache holds the longest prefix of whole parts that a request shares with the request
before. Real providers may find less: Anthropic looks back only 20 blocks from a breakpoint, and may evict a cache
entry early. They may also find more, in an earlier request.

To compare requests, each part gets a number and a token count. Two parts have the same number if the model reads
the same content. Cache markers make no difference, nor does a text that is a string in one request and a block in
another. The lab omits the client's bookkeeping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from prunus.clients.sessions import Session
from prunus.history import Attachment, Call, Marker, Opaque, Part, Result, Text, Thinking
from prunus.lab.policy import Policy
from prunus.lab.progress import Gauge
from prunus.providers import Provider, provider_named
from prunus.tokens import Counter
from prunus.view.uses import weigh


@dataclass(frozen=True, slots=True)
class PartForm:
    """One part as a request shows it."""

    number: int
    part: Part
    tokens: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """One message as a request shows it."""

    forms: tuple[PartForm, ...]
    numbers: tuple[int, ...]
    tokens: int
    pairs: tuple[tuple[str, str], ...]
    """The kind and id of its calls and results, in order."""


class Reader:
    """Reads the messages of one conversation, and caches them by object identity.

    Callers must not change messages in place while the reader exists.
    """

    __slots__ = ("_counter", "_format", "_forms", "_read")

    def __init__(self, format: Provider) -> None:
        self._format = format
        self._counter = Counter()
        self._forms: dict[tuple[object, ...], PartForm] = {}
        # The cache keeps the message itself too, so that no other message gets its address.
        self._read: dict[int, tuple[Mapping[str, Any], Sheet]] = {}

    def sheet(self, message: Mapping[str, Any]) -> Sheet:
        """Return one message of a request."""
        known = self._read.get(id(message))
        if known is None:
            known = self._read[id(message)] = (message, self._sheet(message))
        return known[1]

    def count(self, around: object) -> int:
        """Return the tokens of the request outside its messages."""
        return self._counter.count(msgspec.json.encode(around).decode()) if around else 0

    def _sheet(self, message: Mapping[str, Any]) -> Sheet:
        parts = self._format.parse(message, b"").parts
        forms = tuple(self.form(part) for part in parts if not isinstance(part, Marker))
        pairs = tuple((type(part).__name__, part.id) for part in parts if isinstance(part, Call | Result))
        return Sheet(forms, tuple(form.number for form in forms), sum(form.tokens for form in forms), pairs)

    def form(self, part: Part) -> PartForm:
        """Return a part with its number and tokens, whether it was ever sent or not."""
        key = _key(part)
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = PartForm(len(self._forms), part, weigh(part, self._counter))
        return form


def _key(part: Part) -> tuple[object, ...]:
    """Return a key that is equal for parts that the model cannot tell apart."""
    match part:
        case Text(text):
            return "text", text
        case Thinking(text, hidden):
            return "thinking", text, hidden
        case Call():
            return "call", part.id, part.tool, part.text
        case Result():
            return "result", part.id, part.text
        case Attachment():
            return "attachment", part.name, part.media_type, part.size
        case Marker() | Opaque():
            return "opaque", part.type, part.text


def shown_text(part: Part) -> str:
    """Return the text of a part as the model reads it; strings inside JSON are unescaped into lines."""
    match part:
        case Call():
            return "\n".join(strings(part.input))
        case Result(text=text):
            return "\n".join(strings(_object(text))) if text.startswith("{") else text
        case Text(text) | Thinking(text) | Opaque(text=text) | Marker(text=text):
            return text
        case Attachment():
            return part.name


def strings(value: object) -> list[str]:
    """Return all strings inside a JSON value, in order."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text):
                found.append(text)
            case Mapping() as mapping:
                waiting += reversed(list(mapping.values()))
            case list() | tuple() as items:
                waiting += reversed(items)
    return found


def _object(text: str) -> object:
    """Return the value of a JSON text, or the text itself if it is not JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return text


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


def replay(session: Session, policy: Policy, reader: Reader | None = None, gauge: Gauge | None = None) -> Replay:
    """Send each recorded request through the policy.

    Several replays of one conversation may share a reader, which then reads equal parts only once. The gauge counts
    the requests.
    """
    format = provider_named(session.format)
    reader, gauge = reader or Reader(format), gauge or Gauge()
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
        gauge.advance()
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
