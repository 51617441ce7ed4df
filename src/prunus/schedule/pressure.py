"""How full the context is, how deep pruning may then cut, and what advice the model gets.

The levels are those of the ACP plugin: light below half of the model's window, moderate from half on, high from
three quarters on, critical from nine tenths on. At the level light, edits are made only when they pay. From
moderate on, parts that strategies marked for pressure go too, by retention priority: first temporary parts, at the
level high also ephemeral parts, at the level critical also important parts. Critical parts never go. From high on,
edits are made whatever they cost, because otherwise the client would compact next, or the provider would refuse the
request.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from prunus.schedule.priorities import Standing

Level = Literal["light", "moderate", "high", "critical"]
Bulk = Literal["results", "messages", "reasoning"]
"""What makes up most of the removable context."""

DEPTH: Final[dict[Level, tuple[Standing, ...]]] = {
    "light": (),
    "moderate": ("temporary",),
    "high": ("temporary", "disposable", "ephemeral"),
    "critical": ("temporary", "disposable", "ephemeral", "important"),
}
"""Which of the marked parts may go at each level."""

ADVICE: Final[dict[Level, str]] = {
    "light": "Nothing has to go yet.",
    "moderate": "Discard old results and messages that you no longer need, and distill long reasoning.",
    "high": (
        "If something here is critical, write it into the todo list first, then discard; if nothing is, "
        "discard all that is old."
    ),
    "critical": (
        "If you can finish the task without the history, discard all of it and focus; if not, write down what is "
        "critical and discard part by part."
    ),
}
"""The advice for the model at each level, from the ACP plugin's decision tree."""

_MOSTLY: Final[dict[Bulk, str]] = {
    "results": "Most of what could go are old results: discard those that you no longer need.",
    "messages": "Most of what could go are old messages: discard those that you no longer need.",
    "reasoning": "Most of what could go is reasoning: distill it to its conclusions.",
}
"""The advice at the level moderate depends on what makes up most of the context."""


def advice(level: Level, most: Bulk | None = None) -> str:
    """Return the advice for the model at a level; `most` is what makes up most of the removable context."""
    return _MOSTLY[most] if level == "moderate" and most is not None else ADVICE[level]


@dataclass(frozen=True, slots=True)
class Fill:
    """How full a context is, in tokens."""

    tokens: int
    window: int
    """The model's context window."""
    historical: int = 0
    """The tokens of historical context, counted if a trigger needs them."""
    thinking: int = 0
    """The tokens of reasoning, counted if a trigger needs them."""


@dataclass(frozen=True, slots=True)
class Pressure:
    """When the context counts as full, and what happens then."""

    moderate: float = 0.5
    """The share of the model's window from which on the pressure is moderate."""
    high: float = 0.75
    """The share from which on the pressure is high: edits are made whatever they cost."""
    critical: float = 0.9
    """The share from which on the pressure is critical."""
    relief: float = 0.05
    """The share of the window that a flush under pressure has to free at least; 0 frees as little as needed."""
    historical: int = 0
    """Tokens of historical context from which on edits are made at any price (preset acp: 80,000); 0 for never."""
    aggressive: int = 0
    """Tokens of historical context from which on the level is at least high (preset acp: 100,000); 0 for never."""
    thinking: int = 0
    """Tokens of reasoning from which on edits are made at any price (preset acp: 20,000); 0 for never."""

    def level(self, tokens: int, window: int, historical: int = 0) -> Level:
        """Return the level of pressure of a context."""
        if tokens >= self.critical * window:
            return "critical"
        if tokens >= self.high * window or (self.aggressive and historical > self.aggressive):
            return "high"
        return "moderate" if tokens >= self.moderate * window else "light"

    def reason(self, tokens: int, window: int, historical: int = 0, thinking: int = 0) -> str:
        """Return why edits have to be made at any cost; empty if they need not."""
        if tokens >= self.high * window:
            return f"the context is {tokens / window:.0%} full"
        if self._much_history(historical):
            return f"{historical:,} tokens of historical context"
        if self._much_thinking(thinking):
            return f"{thinking:,} tokens of reasoning"
        return ""

    def waves(self, fill: Fill) -> Iterator[tuple[Standing, ...]]:
        """Yield what may go under the schedule `eager`, wave after wave; each wave removes more than the one
        before.

        Disposable results of the content type guide go before reasoning, and reasoning goes before important parts.
        """
        level = self.level(fill.tokens, fill.window, fill.historical)
        if level == "light" and not self._triggered_by(fill):
            return
        yield DEPTH["moderate"]
        if level in ("high", "critical") or self._much_history(fill.historical):
            yield "temporary", "disposable"
        if level in ("high", "critical"):
            yield DEPTH["high"]
        elif self._much_thinking(fill.thinking):
            history = ("disposable",) if self._much_history(fill.historical) else ()
            yield "temporary", *history, "ephemeral"
        if level == "critical":
            yield DEPTH["critical"]

    def relieved(self, before: Fill, after: Fill) -> bool:
        """Whether enough was removed under the schedule `eager`: the request fits, and no trigger applies."""
        if self.reason(after.tokens, after.window, after.historical, after.thinking):
            return False
        least = self.relief * before.window
        full = before.tokens >= self.high * before.window
        return before.tokens - after.tokens >= least and (
            not full or after.tokens <= (self.high - self.relief) * before.window
        )

    @property
    def triggered(self) -> bool:
        """Whether a trigger other than the window is set."""
        return bool(self.historical or self.aggressive or self.thinking)

    @property
    def least_history(self) -> int:
        """Return the tokens of historical context up to which no trigger applies; 0 if there is none."""
        return min((most for most in (self.historical, self.aggressive) if most), default=0)

    def _triggered_by(self, fill: Fill) -> bool:
        return self._much_history(fill.historical) or self._much_thinking(fill.thinking)

    def _much_history(self, tokens: int) -> bool:
        return any(most and tokens > most for most in (self.historical, self.aggressive))

    def _much_thinking(self, tokens: int) -> bool:
        return bool(self.thinking) and tokens > self.thinking
