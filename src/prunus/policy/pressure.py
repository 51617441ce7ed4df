"""How full the context is, and how deep pruning may then cut.

The levels are the seeds': light below half of the model's window, moderate, high from three quarters on, critical
from nine tenths. While there is room, only what strategies find goes, when it pays. From moderate on, what they
marked for such times goes too, by retention priority: first temporary parts, at the level high also ephemeral
ones, at the level critical also important ones. Critical parts never go. From high on the price does not matter
any more, because the next thing to happen is that the client compacts, or the provider refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from prunus.policy.priorities import Priority

__all__ = ["DEPTH", "Level", "Pressure"]

Level = Literal["light", "moderate", "high", "critical"]

DEPTH: Final[dict[Level, tuple[Priority, ...]]] = {
    "light": (),
    "moderate": ("temporary",),
    "high": ("temporary", "ephemeral"),
    "critical": ("temporary", "ephemeral", "important"),
}
"""What may go at each level of what is marked for times of pressure."""


@dataclass(frozen=True, slots=True)
class Pressure:
    """From when on the context counts as full, and what then happens."""

    moderate: float = 0.5
    """The share of the model's window from which on the pressure is moderate."""
    high: float = 0.75
    """The share from which on it is high: edits are made whatever they cost."""
    critical: float = 0.9
    """The share from which on it is critical."""
    relief: float = 0.05
    """The share of the window that a flush under pressure has to free at least; 0 frees as little as needed."""
    historical: int = 0
    """Tokens of historical context from which on edits are made at any price (the seeds: 80,000); 0 for never."""
    aggressive: int = 0
    """Tokens of historical context from which on the level is at least high (the seeds: 100,000); 0 for never."""
    thinking: int = 0
    """Tokens of reasoning from which on edits are made at any price (the seeds: 20,000); 0 for never."""

    def level(self, tokens: int, window: int, historical: int = 0) -> Level:
        """How full a context of so many tokens is."""
        if tokens >= self.critical * window:
            return "critical"
        if tokens >= self.high * window or (self.aggressive and historical > self.aggressive):
            return "high"
        return "moderate" if tokens >= self.moderate * window else "light"

    def reason(self, tokens: int, window: int, historical: int = 0, thinking: int = 0) -> str:
        """Why edits have to be made whatever they cost; empty if they need not."""
        if tokens >= self.high * window:
            return f"the context is {tokens / window:.0%} full"
        if any(most and historical > most for most in (self.historical, self.aggressive)):
            return f"{historical:,} tokens of historical context"
        if self.thinking and thinking > self.thinking:
            return f"{thinking:,} tokens of reasoning"
        return ""

    @property
    def triggered(self) -> bool:
        """Whether anything but the window counts."""
        return bool(self.historical or self.aggressive or self.thinking)
