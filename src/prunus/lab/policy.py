"""Policies: a policy turns each request of a conversation into a pruned request. Prunus itself is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from prunus.outcome import Outcome
from prunus.pruner import Pruner
from prunus.schedule.prices import Price
from prunus.settings import Settings

if TYPE_CHECKING:
    from prunus.clients.sessions import Session
    from prunus.lab.replay import Reader, Replay
    from prunus.lab.retention import Needs


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
