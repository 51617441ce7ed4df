"""Prunus itself as a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from prunus.outcome import Outcome
from prunus.pruner import Pruner
from prunus.schedule.prices import Price
from prunus.settings import Settings


@dataclass(frozen=True, slots=True)
class Pruned:
    """What Prunus makes of it: a preset, when its edits are made, and the price it is told."""

    name: str
    preset: str
    schedule: str
    price: Price | None = None
    window: int | None = None
    """Tokens that the model can take, where the request does not name it."""

    def start(self) -> PrunusSender:
        return PrunusSender(Pruner(self.settings()))

    def settings(self) -> Settings:
        """The settings with which Prunus is replayed."""
        values: dict[str, Any] = {"preset": self.preset, "schedule": self.schedule}
        if self.price is not None:
            told = ("read", "write", "ttl", *(("tier", "tier_factor") if self.price.tier is not None else ()))
            values["prices"] = [{"model": "*", **{name: getattr(self.price, name) for name in told}}]
        if self.window is not None:
            values["window"] = self.window
        return Settings(**values)


class PrunusSender:
    """One conversation through a pruner; remembers what came out last."""

    def __init__(self, pruner: Pruner) -> None:
        self._pruner = pruner
        self.last: Outcome[Any] = Outcome(None)

    @property
    def declared(self) -> str:
        return self.last.flush.reason if self.last.flush is not None else ""

    def __call__(self, body: Any, now: float | None) -> Any:
        self.last = self._pruner.prune(body, now=now)
        return self.last.body
