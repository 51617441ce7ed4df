"""The transcript of a run: every request to the provider and its answer, their cost, and the calls in them.

The transcript has no headers, because headers contain API keys. A read counts as a re-read if the same conversation
has read the same lines before, and no call has named the file in a change since. Changes by commands that do not
name the file are missed, in both arms alike.
"""

from __future__ import annotations

import gzip
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from prunus.calls.paths import normalise
from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Span
from prunus.errors import FormatError
from prunus.history import Call, History
from prunus.providers import read
from prunus.providers.usage import Usage, counts_in, long_writes_of, usage_of
from prunus.schedule.dollars import Tariff, tariff_of

FILE = "exchanges.jsonl.gz"
"""The file name of the transcript in the folder of a run."""
OwnTariffs = tuple[tuple[str, Tariff], ...]


@dataclass(frozen=True, slots=True)
class RelayedExchange:
    """One request to the provider and its answer."""

    number: int
    time: float
    """The time of the request, in seconds since 1970."""
    seconds: float
    """The time until the end of the answer."""
    method: str
    path: str
    status: int
    """The HTTP status of the answer; 0 if there was no answer."""
    request: str
    answer: str
    model: str = ""
    """The model in the request; empty if the request names none."""
    usage: Usage | None = None
    """The token usage that the provider reported."""
    long_writes: int = 0
    """The number of written tokens that stay in the cache for an hour; their price is higher."""


def append(folder: Path, exchange: RelayedExchange) -> None:
    """Append an exchange to the transcript in a folder. A crash damages no earlier exchange."""
    with gzip.open(folder / FILE, "ab") as out:
        out.write(msgspec.json.encode(exchange) + b"\n")


def read_exchanges(folder: Path) -> Iterator[RelayedExchange]:
    """Yield the exchanges of the transcript in a folder; none if there is no transcript."""
    if not (folder / FILE).exists():
        return
    with gzip.open(folder / FILE, "rb") as lines:
        try:
            for line in lines:
                yield msgspec.json.decode(line, type=RelayedExchange)
        except (EOFError, msgspec.MsgspecError):  # the last line of a run that was killed
            return


def model_of(request: bytes) -> str:
    """Return the model in a request; empty if the request is not a JSON object with a model."""
    try:
        model = msgspec.json.decode(request, type=dict[str, msgspec.Raw]).get("model")
        return msgspec.json.decode(model, type=str) if model is not None else ""
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""


def usage_in(answer: bytes) -> tuple[Usage | None, int]:
    """Return the token usage in an answer, and how many written tokens stay in the cache for an hour.

    An answer is one JSON document or a stream of events. Counts in a later event replace those in an earlier one.
    """
    counts: dict[str, int] = {}
    for event in _events(answer):
        counts |= counts_in(event)
    return usage_of(counts), long_writes_of(counts)


def _events(answer: bytes) -> Iterator[dict[str, Any]]:
    whole = _object(answer)
    if whole:
        yield whole
        return
    for line in answer.splitlines():
        if line.startswith(b"data:") and b"sage" in line:  # "usage", or "usageMetadata"
            yield _object(line[5:])


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    if isinstance(value, list):  # a stream that is one array of events
        value = next((one for one in reversed(value) if isinstance(one, dict) and counts_in(one)), {})
    return value if isinstance(value, dict) else {}


class Meter:
    """Counts the dollars that a trial spends, and refuses requests beyond its budget. Safe for several threads.

    A request is admitted if the price of its model is known and the budget is not used up. Requests that are under
    way when the budget runs out still cost money, so the sum can exceed the budget a little.
    """

    def __init__(self, budget: float, spent: float = 0.0, own: OwnTariffs = ()) -> None:
        self.spent = spent
        """The dollars of all requests so far, including those of earlier calls of `prunus ab`."""
        self.refusal = ""
        """Why the last refused request was refused; empty if none was."""
        self._budget = budget
        self._own = own
        self._lock = threading.Lock()

    def admit(self, model: str) -> str:
        """Return why a request to a model must not be sent; empty if it may be sent."""
        with self._lock:
            if model and tariff_of(model, self._own) is None:
                self.refusal = f"no dollar price is known for the model {model}: give one with --price"
            elif model and self.spent >= self._budget:
                self.refusal = f"the budget of ${self._budget:.2f} is used up"
            return self.refusal

    def charge(self, exchange: RelayedExchange) -> None:
        """Add the cost of an exchange."""
        with self._lock:
            self.spent += dollars_of(exchange, self._own)


def dollars_of(exchange: RelayedExchange, own: OwnTariffs = ()) -> float:
    """Return the cost of an exchange; 0 if the provider reported no usage."""
    tariff = tariff_of(exchange.model, own)
    if exchange.usage is None or tariff is None:
        return 0.0
    return tariff.dollars(exchange.usage, exchange.long_writes)


@dataclass(frozen=True, slots=True)
class CallCounts:
    """The number of tool calls in a run."""

    calls: int = 0
    rereads: int = 0
    """Calls that read lines which the conversation had read before, and which no call has changed since."""


@dataclass(slots=True)
class _Reading:
    """The calls of one conversation so far, and the lines that they read."""

    calls: set[str] = field(default_factory=set)
    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    rereads: int = 0

    def take(self, call: Call, toolbox: Toolbox) -> None:
        """Count a call that was not seen before."""
        self.calls.add(call.id)
        repeated = False
        for touch in toolbox.meaning(call.tool, call.input).touches:
            known = self.spans[normalise(touch.path)]
            if touch.kind != "read":
                known.clear()
            elif any(span.covers(touch.span) for span in known):
                repeated = True
            else:
                known.append(touch.span)
        self.rereads += repeated


def count_calls(exchanges: Iterable[RelayedExchange]) -> CallCounts:
    """Return the number of calls in a run; each call counts once, although later requests repeat it."""
    toolbox = Toolbox()
    conversations: dict[str, _Reading] = defaultdict(_Reading)
    for exchange in exchanges:
        if exchange.usage is None:
            continue
        try:
            history = read(exchange.request.encode())
        except FormatError:
            continue
        reading = conversations[_opening(history)]
        for part in (part for message in history.messages for part in message.parts):
            if isinstance(part, Call) and part.id not in reading.calls:
                reading.take(part, toolbox)
    found = conversations.values()
    return CallCounts(sum(len(one.calls) for one in found), sum(one.rereads for one in found))


def _opening(history: History) -> str:
    """Return the first message of the user, which distinguishes a conversation from those of sub-agents."""
    spoken = (message for message in history.messages if message.role == "user")
    return next((repr(message.parts) for message in spoken), "")
