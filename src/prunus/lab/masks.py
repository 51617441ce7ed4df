"""Reference policies that look at nothing but the age of a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from prunus.lab.results import Results

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
