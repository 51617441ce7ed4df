"""The transcript of a run: every request to the provider with its answer, what they cost, and what the agent did.

Headers are not kept, because they hold keys. A read is repeated if the same conversation has read those lines
before and named no change of the file since. A change by a command that does not name the file goes unnoticed, in
both arms alike.
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
"""The name of the transcript in the folder of a run."""
OwnTariffs = tuple[tuple[str, Tariff], ...]


@dataclass(frozen=True, slots=True)
class RelayedExchange:
    """One request and its answer, as they passed by just before the provider."""

    number: int
    time: float
    """When the request came, in seconds since 1970."""
    seconds: float
    """How long the answer took."""
    method: str
    path: str
    status: int
    """The status of the answer; 0 if none came."""
    request: str
    answer: str
    model: str = ""
    """The model that the request names; empty if it names none."""
    usage: Usage | None = None
    """What the provider says that the request took."""
    long_writes: int = 0
    """The written tokens that live in the cache for an hour."""


def append(folder: Path, exchange: RelayedExchange) -> None:
    """Add an exchange to the transcript in a folder; what is there already survives a crash."""
    with gzip.open(folder / FILE, "ab") as out:
        out.write(msgspec.json.encode(exchange) + b"\n")


def read_exchanges(folder: Path) -> Iterator[RelayedExchange]:
    """The transcript in a folder, as far as it was written; nothing if there is none."""
    if not (folder / FILE).exists():
        return
    with gzip.open(folder / FILE, "rb") as lines:
        try:
            for line in lines:
                yield msgspec.json.decode(line, type=RelayedExchange)
        except (EOFError, msgspec.MsgspecError):  # the last line of a run that was killed
            return


def model_of(request: bytes) -> str:
    """The model that a request names; empty if it is no JSON object with a model."""
    try:
        model = msgspec.json.decode(request, type=dict[str, msgspec.Raw]).get("model")
        return msgspec.json.decode(model, type=str) if model is not None else ""
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""


def usage_in(answer: bytes) -> tuple[Usage | None, int]:
    """What an answer says that its request took, and how many written tokens live for an hour.

    An answer is one JSON document or a stream of events; a later event replaces the counts of an earlier one.
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
    """What a trial has spent so far, against its budget. Several threads may use it.

    A request is admitted if its model has a price and the budget is not used up. Requests that are under way when
    the budget runs out are still paid for, so the sum can end a little above it.
    """

    def __init__(self, budget: float, spent: float = 0.0, own: OwnTariffs = ()) -> None:
        self.spent = spent
        """The dollars of all requests so far, those of earlier calls included."""
        self.refusal = ""
        """Why a request was refused; empty as long as none was."""
        self._budget = budget
        self._own = own
        self._lock = threading.Lock()

    def admit(self, model: str) -> str:
        """Why a request to a model may not be sent; empty if it may."""
        with self._lock:
            if model and tariff_of(model, self._own) is None:
                self.refusal = f"no dollar price is known for the model {model}: give one with --price"
            elif model and self.spent >= self._budget:
                self.refusal = f"the budget of ${self._budget:.2f} is used up"
            return self.refusal

    def charge(self, exchange: RelayedExchange) -> None:
        """Add what an exchange cost."""
        with self._lock:
            self.spent += dollars_of(exchange, self._own)


def dollars_of(exchange: RelayedExchange, own: OwnTariffs = ()) -> float:
    """What an exchange cost; nothing if the provider counted nothing."""
    tariff = tariff_of(exchange.model, own)
    if exchange.usage is None or tariff is None:
        return 0.0
    return tariff.dollars(exchange.usage, exchange.long_writes)


@dataclass(frozen=True, slots=True)
class CallCounts:
    """The calls of a run."""

    calls: int = 0
    rereads: int = 0
    """Calls that read lines again that were read before and not changed since."""


@dataclass(slots=True)
class _Reading:
    """What one conversation has read so far."""

    calls: set[str] = field(default_factory=set)
    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    rereads: int = 0

    def take(self, call: Call, toolbox: Toolbox) -> None:
        """Note a call that is new."""
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
    """The calls that the requests of a run show, each counted once, where it appears first."""
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
    """The first words of the user, which tell a conversation from those of sub-agents."""
    spoken = (message for message in history.messages if message.role == "user")
    return next((repr(message.parts) for message in spoken), "")
