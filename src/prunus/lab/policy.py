"""A policy turns each request of a conversation into the request that is sent instead; Prunus itself is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from prunus.outcome import Outcome
from prunus.pruner import Pruner
from prunus.schedule.prices import Price
from prunus.settings import Settings

if TYPE_CHECKING:
    from prunus.clients.sessions import Session
    from prunus.lab.reading import Reader
    from prunus.lab.replay import Replay
    from prunus.lab.retention import Needs


class Sender(Protocol):
    """One conversation's worth of a policy: it is given each request in order."""

    @property
    def declared(self) -> str:
        """Why the request that was sent last does not continue the one before, where the policy says so."""

    def __call__(self, body: Any, now: float | None, /) -> Any:
        """The request that would be sent; the given one stays as it is."""


class Policy(Protocol):
    """A way to prune. Equal policies send the same, so that each is replayed once."""

    @property
    def name(self) -> str:
        """How it is asked for."""

    def start(self) -> Sender:
        """A fresh state, for one conversation."""


@runtime_checkable
class Bound(Protocol):
    """What no policy of its kind can beat: it knows the whole conversation before it begins."""

    @property
    def name(self) -> str:
        """How it is asked for."""

    def replay(self, session: Session, reader: Reader, needs: Needs, online: Callable[[Policy], Replay]) -> Replay:
        """All requests as they would be sent; `online` replays a policy that does not know the future."""


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
