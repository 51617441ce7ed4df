"""Policies: a policy turns each request of a conversation into a pruned request.

Prunus itself is a policy. The others here are for comparison: they send every request unchanged, or look only at
the age of a result. `Results` finds the results of a growing request and replaces their text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, Self, runtime_checkable

from prunus.history import Message, Result
from prunus.json.splice import Path
from prunus.outcome import Outcome
from prunus.providers import Provider, read_objects
from prunus.providers.write import result_content
from prunus.pruner import Pruner
from prunus.schedule.prices import Price
from prunus.settings import Settings
from prunus.tokens import Counter
from prunus.view.uses import weigh

if TYPE_CHECKING:
    from prunus.clients.sessions import Session
    from prunus.lab.replay import Reader, Replay
    from prunus.lab.retention import Needs

PLACEHOLDER: Final = "[Old result cleared]"


class Sender(Protocol):
    """The state of a policy in one conversation; the lab calls it with each request in order."""

    @property
    def declared(self) -> str:
        """The policy's reason why the last sent request breaks the cached prefix; empty if it gives none."""

    def __call__(self, body: Any, now: float | None, /) -> Any:
        """Return the pruned request; the given request does not change."""


class Policy(Protocol):
    """A way to prune. Equal policies send the same requests, so the lab replays each once."""

    @property
    def name(self) -> str:
        """The name of the policy on the command line."""

    def start(self) -> Sender:
        """Return a fresh state for one conversation."""


@runtime_checkable
class Bound(Protocol):
    """A bound that no policy of its kind can beat, because it knows the whole conversation in advance."""

    @property
    def name(self) -> str:
        """The name of the bound on the command line."""

    def replay(self, session: Session, reader: Reader, needs: Needs, online: Callable[[Policy], Replay]) -> Replay:
        """Return all requests of the bound; `online` replays a policy that does not know the future."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """Prunus as a policy: a preset, a schedule, and the price that the schedule assumes."""

    name: str = field(compare=False)
    preset: str
    schedule: str
    price: Price | None = None
    window: int | None = None
    """The model's context window in tokens, if the requests do not name a model."""
    level: str = "balanced"
    """How much the preset auto may lose to save."""

    def start(self) -> PrunusSender:
        return PrunusSender(Pruner(self.settings()))

    def settings(self) -> Settings:
        """Return the settings of the replayed pruner."""
        values: dict[str, Any] = {"preset": self.preset, "level": self.level, "schedule": self.schedule}
        if self.price is not None:
            told = ("read", "write", "ttl", *(("tier", "tier_factor") if self.price.tier is not None else ()))
            values["prices"] = [{"model": "*", **{name: getattr(self.price, name) for name in told}}]
        if self.window is not None:
            values["window"] = self.window
        return Settings(**values)


class PrunusSender:
    """Sends one conversation through a pruner, and remembers the last outcome; it is a policy for one replay."""

    name = "prunus"

    def __init__(self, pruner: Pruner) -> None:
        self._pruner = pruner
        self.last: Outcome[Any] = Outcome(None)

    def start(self) -> Self:
        return self

    @property
    def declared(self) -> str:
        return self.last.flush.reason if self.last.flush is not None else ""

    def __call__(self, body: Any, now: float | None) -> Any:
        self.last = self._pruner.prune(body, now=now)
        return self.last.body


@dataclass(frozen=True, slots=True)
class Unpruned:
    """Sends every request unchanged."""

    name: str = "none"
    declared: ClassVar[str] = ""

    def start(self) -> Self:
        return self

    def __call__(self, body: Any, now: float | None) -> Any:
        return body


@dataclass(frozen=True, slots=True)
class Mask:
    """Replaces all but the newest `keep` results by a placeholder, for good.

    With a batch, results wait until at least `batch` tokens go at once.
    """

    keep: int
    batch: int = 0

    @property
    def name(self) -> str:
        return f"mask:{self.keep}:{self.batch}" if self.batch else f"mask:{self.keep}"

    def start(self) -> _Clearing:
        return _Clearing(keep=self.keep, batch=self.batch)


@dataclass(frozen=True, slots=True)
class Clear:
    """Anthropic's `clear_tool_uses_20250919`: past `trigger` tokens it clears all but the newest `keep` results.

    Cleared results stay cleared. The trigger counts the remaining tokens, like a client that follows
    `applied_edits`. https://docs.claude.com/en/docs/build-with-claude/context-editing
    """

    trigger: int
    keep: int

    @property
    def name(self) -> str:
        return f"clear:{self.trigger}:{self.keep}"

    def start(self) -> _Clearing:
        return _Clearing(keep=self.keep, trigger=self.trigger)


class _Clearing:
    """Clears results from the oldest on; the only state is how many are cleared."""

    declared: str = ""

    def __init__(self, *, keep: int, batch: int = 0, trigger: int = 0) -> None:
        self._keep = keep
        self._batch = batch
        self._trigger = trigger
        self._results = Results()
        self._cleared = 0
        self._saved = 0

    def __call__(self, body: Any, now: float | None) -> Any:
        results = self._results
        for _ in results.take(body):
            pass
        due = results.places[self._cleared : max(len(results.places) - self._keep, self._cleared)]
        mark = results.count(PLACEHOLDER)
        gains = [max(place.tokens - mark, 0) for place in due]
        if results.tokens - self._saved > self._trigger and due and sum(gains) >= self._batch:
            for place in due:
                results.replace(place, PLACEHOLDER)
            self._cleared += len(due)
            self._saved += sum(gains)
        return results.body(body)


@dataclass(frozen=True, slots=True)
class ResultPlace:
    """One result and its place in the request."""

    message: int
    part: int
    result: Result
    tokens: int


class Results:
    """The results of one conversation; each request must extend the one before."""

    __slots__ = ("_changed", "_counter", "_format", "_given", "_rendered", "_words", "messages", "places", "tokens")

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.places: list[ResultPlace] = []
        self.tokens = 0
        """The tokens of all messages before pruning."""
        self._counter = Counter()
        self._format: Provider | None = None
        self._given: list[Any] = []
        self._words: dict[int, dict[int, str]] = {}
        self._rendered: dict[int, Any] = {}
        self._changed: set[int] = set()

    def take(self, body: Any) -> Iterator[tuple[int, Message]]:
        """Read the next request, and yield its new messages with their indexes."""
        if self._format is None:
            self._format = read_objects(body, None, 0).format
        self._given = body[self._format.field] if isinstance(body, dict) else body
        for index in range(len(self.messages), len(self._given)):
            message = self._format.parse(self._given[index], b"")
            self.messages.append(message)
            for i, part in enumerate(message.parts):
                tokens = weigh(part, self._counter)
                self.tokens += tokens
                if isinstance(part, Result) and part.at:
                    self.places.append(ResultPlace(index, i, part, tokens))
            yield index, message

    def count(self, text: str) -> int:
        """Return the number of tokens in a text."""
        return self._counter.count(text)

    def replace(self, place: ResultPlace, text: str | None) -> None:
        """Replace a result by a text from now on; None restores the result."""
        words = self._words.setdefault(place.message, {})
        if words.get(place.part) != text:
            self._changed.add(place.message)
            if text is None:
                del words[place.part]
            else:
                words[place.part] = text

    def body(self, body: Any) -> Any:
        """Return the request with the replaced results; unchanged messages stay the same objects."""
        for index in self._changed:
            words = self._words[index]
            if words:
                self._rendered[index] = _with(self._given[index], self.messages[index], words)
            else:
                self._rendered.pop(index, None)
        self._changed.clear()
        if not self._rendered:
            return body
        sent = list(self._given)
        for index, message in self._rendered.items():
            sent[index] = message
        field = self._format.field if self._format else ""
        return {**body, field: sent} if isinstance(body, dict) else sent


def _with(given: Mapping[str, Any], message: Message, words: Mapping[int, str]) -> Any:
    changed: Any = given
    for index, text in words.items():
        part = message.parts[index]
        assert isinstance(part, Result)
        changed = _put(changed, part.at, result_content(part, text))
    return changed


def _put(value: Any, path: Path, new: object) -> Any:
    """Return a copy with one value changed that shares all other values."""
    if not path:
        return new
    step, *rest = path
    copied: Any = dict(value) if isinstance(value, dict) else list(value)
    copied[step] = _put(value[step], tuple(rest), new)
    return copied
