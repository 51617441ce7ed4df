"""Reference policies that look at nothing but the age of a result.

`Results` finds the results of a growing request and puts other words in their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from prunus.history import Message, Result
from prunus.providers import Provider, read_objects
from prunus.splice import Path
from prunus.tokens import Counter
from prunus.view import weigh


@dataclass(frozen=True, slots=True)
class ResultPlace:
    """One result: where it stands and what it holds."""

    message: int
    part: int
    result: Result
    tokens: int


class Results:
    """The results of one conversation, whose requests only ever grow."""

    __slots__ = ("_changed", "_counter", "_format", "_given", "_rendered", "_words", "messages", "places", "tokens")

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.places: list[ResultPlace] = []
        self.tokens = 0
        """Of all messages, as they came."""
        self._counter = Counter()
        self._format: Provider | None = None
        self._given: list[Any] = []
        self._words: dict[int, dict[int, str]] = {}
        self._rendered: dict[int, Any] = {}
        self._changed: set[int] = set()

    def take(self, body: Any) -> Iterator[tuple[int, Message]]:
        """Look at the next request: its new messages with their places."""
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
        """The tokens of a text."""
        return self._counter.count(text)

    def replace(self, place: ResultPlace, text: str | None) -> None:
        """Put words in the place of a result from now on, or the result itself again."""
        words = self._words.setdefault(place.message, {})
        if words.get(place.part) != text:
            self._changed.add(place.message)
            if text is None:
                del words[place.part]
            else:
                words[place.part] = text

    def body(self, body: Any) -> Any:
        """The request with the words in place; a message that did not change since is the same object."""
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
        changed = _put(changed, part.at, _content(part, text))
    return changed


def _content(result: Result, text: str) -> object:
    match result.shape:
        case "string":
            return text
        case "object":
            return {"error" if result.error else "output": text}
        case "blocks":
            return [{"type": result.block, "text": text}]


def _put(value: Any, path: Path, new: object) -> Any:
    """A copy with one value changed, sharing everything else."""
    if not path:
        return new
    step, *rest = path
    copied: Any = dict(value) if isinstance(value, dict) else list(value)
    copied[step] = _put(value[step], tuple(rest), new)
    return copied


PLACEHOLDER: Final = "[Old result cleared]"


@dataclass(frozen=True, slots=True)
class Unpruned:
    """Every request as it came."""

    name: str = "none"

    def start(self) -> _Unchanged:
        return _Unchanged()


@dataclass(frozen=True, slots=True)
class Mask:
    """Results older than the newest `keep` become a placeholder.

    With a batch they wait until that many tokens would go at once; what is gone stays gone.
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
    """Anthropic's `clear_tool_uses_20250919`: past `trigger` tokens all but the newest `keep` results go.

    What was cleared stays cleared, and the trigger looks at what is left, as a client sees it that follows
    `applied_edits`. https://docs.claude.com/en/docs/build-with-claude/context-editing
    """

    trigger: int
    keep: int

    @property
    def name(self) -> str:
        return f"clear:{self.trigger}:{self.keep}"

    def start(self) -> _Clearing:
        return _Clearing(keep=self.keep, trigger=self.trigger)


class _Unchanged:
    declared: str = ""

    def __call__(self, body: Any, now: float | None) -> Any:
        return body


class _Clearing:
    """Clears from the oldest result on; how far is all it has to remember."""

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
