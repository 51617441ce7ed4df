"""What would be sent instead: a policy turns each request of a conversation into another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

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
